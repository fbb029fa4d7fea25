package dev.leasebeat;

/** Bytes that are no snapshot. */
public final class SnapshotException extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    /** What is wrong with the bytes. */
    public enum Code {
        /** No snapshot, as its length says, or one of a version that this library does not know. */
        FORMAT,
        /** It was altered or torn. */
        CHECKSUM,
        /** A value in it is none that a snapshot can have. */
        VALUE
    }

    /** What is wrong. */
    private final Code code;

    SnapshotException(Code code, String message) {
        super(message);
        this.code = code;
    }

    /**
     * What is wrong with the bytes.
     *
     * @return the code
     */
    public Code code() {
        return code;
    }

    static RuntimeException of(int status) {
        Code code = switch (status) {
            case Function.SIZE, Function.SNAPSHOT_FORMAT -> Code.FORMAT;
            case Function.SNAPSHOT_CHECKSUM -> Code.CHECKSUM;
            case Function.SNAPSHOT_VALUE -> Code.VALUE;
            default -> null;
        };
        if (code == null) return Function.fault(status);
        return new SnapshotException(code, Texts.name(Function.TEXT_OF_STATUS, status));
    }
}
