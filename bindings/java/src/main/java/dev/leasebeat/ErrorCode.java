package dev.leasebeat;

/** The protocol's error codes. */
public enum ErrorCode {
    /** The protocol's {@code INVALID_REQUEST}. */
    INVALID_REQUEST(1),
    /** The protocol's {@code UNAUTHORIZED}. */
    UNAUTHORIZED(2),
    /** The protocol's {@code FORBIDDEN}. */
    FORBIDDEN(3),
    /** The protocol's {@code NOT_FOUND}. */
    NOT_FOUND(4),
    /** The protocol's {@code BUDGET_EXCEEDED}. */
    BUDGET_EXCEEDED(5),
    /** The protocol's {@code BUDGET_FROZEN}. */
    BUDGET_FROZEN(6),
    /** The protocol's {@code BUDGET_CLOSED}. */
    BUDGET_CLOSED(7),
    /** The protocol's {@code RESERVATION_EXPIRED}. */
    RESERVATION_EXPIRED(8),
    /** The protocol's {@code RESERVATION_FINALIZED}. */
    RESERVATION_FINALIZED(9),
    /** The protocol's {@code IDEMPOTENCY_MISMATCH}. */
    IDEMPOTENCY_MISMATCH(10),
    /** The protocol's {@code UNIT_MISMATCH}. */
    UNIT_MISMATCH(11),
    /** The protocol's {@code OVERDRAFT_LIMIT_EXCEEDED}. */
    OVERDRAFT_LIMIT_EXCEEDED(12),
    /** The protocol's {@code DEBT_OUTSTANDING}. */
    DEBT_OUTSTANDING(13),
    /** The protocol's {@code MAX_EXTENSIONS_EXCEEDED}. */
    MAX_EXTENSIONS_EXCEEDED(14),
    /** The protocol's {@code LIMIT_EXCEEDED}. */
    LIMIT_EXCEEDED(15),
    /** The protocol's {@code TENANT_CLOSED}. */
    TENANT_CLOSED(16),
    /** The protocol's {@code INTERNAL_ERROR}. */
    INTERNAL_ERROR(17);

    private static final ErrorCode[] BY_CODE = new ErrorCode[256];

    static {
        for (ErrorCode value : values()) BY_CODE[value.code] = value;
    }

    final int code;

    ErrorCode(int code) {
        this.code = code;
    }

    static ErrorCode of(int code) {
        return BY_CODE[code];
    }
}
