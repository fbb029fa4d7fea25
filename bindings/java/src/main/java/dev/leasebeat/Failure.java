package dev.leasebeat;

import java.util.OptionalLong;

/** How an attempt failed. */
public sealed interface Failure {
    /** Nothing is proved: the attempt may have been applied, or not. */
    enum Unproven implements Failure {
        /** The enforced request timeout passed. */
        TIMEOUT(1),
        /** The connection was refused, reset or lost. */
        CONNECTION(2),
        /** A 200 that is not valid by the schema, or another answer that proves nothing (C1). */
        AMBIGUOUS(3);

        final int code;

        Unproven(int code) {
            this.code = code;
        }
    }

    /**
     * An HTTP answer that is no success.
     *
     * @param status the status code, 0 to 65535; a 2xx reported here is ambiguous (C1)
     * @param code the code in the body; null where there is none, or one that the protocol does not name
     * @param retryAfterMs the Retry-After, as {@link Leasebeat#parseRetryAfter} gives it
     */
    record Http(int status, ErrorCode code, OptionalLong retryAfterMs) implements Failure {
        /** Checks the values. */
        public Http {
            InvalidValueException.between("status", status, 0, 65535);
            Success.amount("retryAfterMs", retryAfterMs);
        }

        /**
         * An answer without code and Retry-After.
         *
         * @param status the status code
         */
        public Http(int status) {
            this(status, null, OptionalLong.empty());
        }
    }
}
