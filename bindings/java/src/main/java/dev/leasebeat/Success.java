package dev.leasebeat;

import java.util.OptionalLong;

/**
 * What a schema-valid 200 said, and how long it took.
 *
 * @param rttNs the round trip, from just before the send to the instant it is handled with (T7). Empty where it was not
 *     measured reliably: that is never read as zero (P2)
 * @param remainingTtlMs the body's {@code remaining_ttl_ms}; empty where the server does not send it (F1)
 * @param expiresAtMs the body's {@code expires_at_ms}, on the server's clock
 */
public record Success(OptionalLong rttNs, OptionalLong remainingTtlMs, OptionalLong expiresAtMs) {
    /** Checks the values: none may be negative. */
    public Success {
        amount("rttNs", rttNs);
        amount("remainingTtlMs", remainingTtlMs);
        amount("expiresAtMs", expiresAtMs);
    }

    /**
     * An answer that is not timed yet.
     *
     * @param remainingTtlMs the body's {@code remaining_ttl_ms}
     * @param expiresAtMs the body's {@code expires_at_ms}
     */
    public Success(long remainingTtlMs, long expiresAtMs) {
        this(OptionalLong.empty(), OptionalLong.of(remainingTtlMs), OptionalLong.of(expiresAtMs));
    }

    Success timed(OptionalLong rttNs) {
        return new Success(rttNs, remainingTtlMs, expiresAtMs);
    }

    static void amount(String field, OptionalLong value) {
        if (value.isPresent()) InvalidValueException.amount(field, value.getAsLong());
    }
}
