package dev.leasebeat;

/** What a key of an answer's body is that the schema does not name (W6). */
public enum UnknownKeys {
    /** It makes the answer ambiguous. The default, as the schema says. */
    REJECT,
    /** It is skipped, well-formed but unread, for a client that must outlive a newer server. */
    IGNORE
}
