package dev.leasebeat;

/** What an attempt asks of the server. */
public enum Operation {
    /** Create the reservation. */
    CREATE(1),
    /** Extend it. */
    EXTEND(2);

    private static final Operation[] BY_CODE = new Operation[256];

    static {
        for (Operation value : values()) BY_CODE[value.code] = value;
    }

    final int code;

    Operation(int code) {
        this.code = code;
    }

    static Operation of(int code) {
        return BY_CODE[code];
    }

    /** {@return the name in the trace format, such as {@code create}} */
    @Override
    public String toString() {
        return Names.dashed(this);
    }
}
