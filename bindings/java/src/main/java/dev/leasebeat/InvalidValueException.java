package dev.leasebeat;

/** A value that is out of its range. The message names the field, the value and the range. Nothing has changed. */
public final class InvalidValueException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    /** The field's name. */
    private final String field;

    InvalidValueException(String field, Object value, String range) {
        super(field + " is " + value + "; it must be " + range);
        this.field = field;
    }

    /**
     * Which field it is.
     *
     * @return its name, such as {@code requestTimeoutMs}
     */
    public String field() {
        return field;
    }

    static long between(String field, long value, long least, long most) {
        if (value < least || value > most) {
            throw new InvalidValueException(field, value, "from " + least + " to " + most);
        }
        return value;
    }

    /** An amount: it is not negative. */
    static long amount(String field, long value) {
        return between(field, value, 0, Long.MAX_VALUE);
    }
}
