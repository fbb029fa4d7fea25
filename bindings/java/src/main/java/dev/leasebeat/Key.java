package dev.leasebeat;

/** Which idempotency key an attempt carries. */
public enum Key {
    /** A new one: what came before is proven, or there was nothing. */
    FRESH(1),
    /** The one of the attempt before: that may have been applied, and must not be applied twice. */
    SAME(2);

    private static final Key[] BY_CODE = new Key[256];

    static {
        for (Key value : values()) BY_CODE[value.code] = value;
    }

    final int code;

    Key(int code) {
        this.code = code;
    }

    static Key of(int code) {
        return BY_CODE[code];
    }

    /** {@return the name in the trace format, such as {@code fresh}} */
    @Override
    public String toString() {
        return Names.dashed(this);
    }
}
