package dev.leasebeat;

/** An event that cannot happen now. Nothing has changed, the clock included (L2): go on with the decision you had. */
public final class MisuseException extends IllegalStateException {
    private static final long serialVersionUID = 1;

    /** What is wrong with an event. */
    public enum Code {
        /** A report of the wrong kind or with nothing in flight, or a second begin. */
        UNEXPECTED_EVENT,
        /** The report answers an attempt that is not in flight: usually a late answer, to be dropped. */
        STALE_ATTEMPT;

        /** {@return the name in the trace format, such as {@code stale-attempt}} */
        @Override
        public String toString() {
            return Names.dashed(this);
        }
    }

    /** What is wrong. */
    private final Code code;

    MisuseException(Code code, String message) {
        super(code + ": " + message);
        this.code = code;
    }

    /**
     * What is wrong with the event.
     *
     * @return the code
     */
    public Code code() {
        return code;
    }

    /** The exception for a status of an event. */
    static RuntimeException of(int status) {
        Code code = switch (status) {
            case Function.UNEXPECTED_EVENT -> Code.UNEXPECTED_EVENT;
            case Function.STALE_ATTEMPT -> Code.STALE_ATTEMPT;
            default -> null;
        };
        if (code == null) return Function.fault(status);
        return new MisuseException(code, Texts.name(Function.TEXT_OF_STATUS, status));
    }
}
