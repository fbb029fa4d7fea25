package dev.leasebeat;

/** Why the heartbeat stopped. Most stops leave a proven lease: see {@link Heartbeat#fence}. */
public enum StopReason {
    /** The host closed it (L5). */
    CLOSED(1),
    /** The create was denied, or was a dry run (L4). */
    NOT_GRANTED(2),
    /** Two creates with the same key proved nothing; the reservation may exist (L4). */
    CREATE_AMBIGUOUS(3),
    /** Two successes in a row left no delay: the lease is shorter than its retry reserve (P5). */
    LEASE_TOO_SHORT(4),
    /** No complete attempt plus margin provably fits before the lease ends (R2, R8, T6). */
    NO_SAFE_RETRY(5),
    /** The one retry of a window of exactly zero failed too (R3). */
    ZERO_WINDOW_SPENT(6),
    /** Two failures without any time between them (R4). */
    NO_PROGRESS(7),
    /** The server asked for a wait that does not fit, or did not say for how long (R6, F6, L4). */
    THROTTLED(8),
    /** The server refused the request (C4). */
    REJECTED(9),
    /** The server answered with neither success, failure nor refusal (C4). */
    UNEXPECTED_STATUS(10),
    /** The server says that the lease has expired (C3). */
    RESERVATION_EXPIRED(11),
    /** The server says that the reservation was committed or released (C3). */
    RESERVATION_FINALIZED(12),
    /** The server grants no further extension (C3). */
    MAX_EXTENSIONS_EXCEEDED(13),
    /** The tenant is closed for good (C3). */
    TENANT_CLOSED(14),
    /** The server knows no such reservation (C3). */
    NOT_FOUND(15),
    /** The server does not say how long the lease lives, and the config refuses to guess (F1). */
    REMAINING_TTL_ABSENT(16),
    /** One that a newer native library has, and this package does not know. */
    UNKNOWN(0);

    private static final StopReason[] BY_CODE = new StopReason[256];

    static {
        java.util.Arrays.fill(BY_CODE, UNKNOWN);
        for (StopReason value : values()) BY_CODE[value.code] = value;
    }

    final int code;

    StopReason(int code) {
        this.code = code;
    }

    static StopReason of(int code) {
        return BY_CODE[code];
    }

    /** {@return the name in the trace format, such as {@code no-safe-retry}} */
    @Override
    public String toString() {
        return Names.dashed(this);
    }
}
