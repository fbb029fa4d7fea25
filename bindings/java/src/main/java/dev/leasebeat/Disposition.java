package dev.leasebeat;

import java.util.OptionalLong;

/**
 * What a failure means for the lease.
 *
 * @param kind what it means
 * @param reason permanent: what the heartbeat stops for; otherwise null
 * @param retryAfterMs throttled: not before so long, where the answer had a valid Retry-After
 */
public record Disposition(Kind kind, StopReason reason, OptionalLong retryAfterMs) {
    /** What a failure means. */
    public enum Kind {
        /** It may not have been applied, and another attempt with the same key may succeed (C1, C2). */
        TRANSIENT,
        /** 429: as transient, but not before the Retry-After, where the answer had a valid one (C2, C5). */
        THROTTLED,
        /** The lease is gone or can grow no more: stop (C3). */
        PERMANENT,
        /** The server refuses this very request (C4). */
        REJECTED,
        /** A status that is neither success, failure nor refusal, such as a redirect (C4). */
        UNEXPECTED_STATUS;

        /** {@return the name in lower case, such as {@code unexpected-status}} */
        @Override
        public String toString() {
            return Names.dashed(this);
        }
    }

    /** {@return the kind, and what belongs to it} */
    @Override
    public String toString() {
        if (reason != null) return kind + " (" + reason + ")";
        return retryAfterMs.isPresent() ? kind + " (for " + retryAfterMs.getAsLong() + " ms)" : kind.toString();
    }
}
