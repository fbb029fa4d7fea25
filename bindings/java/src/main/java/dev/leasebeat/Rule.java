package dev.leasebeat;

/** The rule that decided, by its id. {@link Heartbeat#describe} says it in words. */
public enum Rule {
    /** Not due yet: wait for what is left. */
    T4(1),
    /** Timing was lost. */
    T6(2),
    /** The create is sent, or nothing is to be done before it. */
    L1(3),
    /** An attempt is in flight: wait for what is left of its timeout. */
    L3(4),
    /** A create failed or was denied. */
    L4(5),
    /** Closed, or stopped before. */
    L5(6),
    /** The server's answer is permanent. */
    C3(7),
    /** The server refused, or answered with an unexpected status. */
    C4(8),
    /** A success leaves a positive delay: wait it, then beat. */
    P4(9),
    /** A success leaves none. */
    P5(10),
    /** No complete retry plus margin fits. */
    R2(11),
    /** The window is exactly zero. */
    R3(12),
    /** No time between two failures. */
    R4(13),
    /** Retry with the same key. */
    R5(14),
    /** Retry when the throttling server allows it, or never. */
    R6(15),
    /** A recovery wait ended too late for another attempt. */
    R8(16),
    /** The server does not say how long the lease lives. */
    F1(17),
    /** A create without the field: extend at once. */
    F3(18),
    /** An extension without the field: beat by what it granted. */
    F4(19),
    /** Enough lead is proved: skip a beat. */
    F5(20),
    /** A failure in fallback: same key after the cadence. */
    F6(21),
    /** One that a newer native library has, and this package does not know. */
    UNKNOWN(0);

    private static final Rule[] BY_CODE = new Rule[256];

    static {
        java.util.Arrays.fill(BY_CODE, UNKNOWN);
        for (Rule value : values()) BY_CODE[value.code] = value;
    }

    final int code;

    Rule(int code) {
        this.code = code;
    }

    static Rule of(int code) {
        return BY_CODE[code];
    }
}
