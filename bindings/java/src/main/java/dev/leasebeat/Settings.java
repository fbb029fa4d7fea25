package dev.leasebeat;

import java.util.Objects;

/**
 * How a lease is to be kept. {@code Settings.of(60_000).withRequestTimeoutMs(10_000)} is what most hosts need.
 *
 * @param extendByMs how much each extension asks for: 1 to 86,400,000. Usually the TTL the lease was created with
 * @param requestTimeoutMs how long one whole attempt may take until its failure is reported, noticing it included, so
 *     enforce somewhat less on the wire. 0: not known, and then no delay is provably safe (P3). Unsigned
 * @param clockResolutionNs by how much two readings of the clock may understate the time between them: 0 to
 *     10,000,000,000 (T3)
 * @param maxWaitMs the longest wait that the host's timer can take; 0: no bound. Unsigned
 * @param fallback what to do with a server that does not say what remains
 */
public record Settings(
        long extendByMs, long requestTimeoutMs, long clockResolutionNs, long maxWaitMs, Fallback fallback) {
    private static final long DAY_MS = 86_400_000;
    private static final long CLOCK_RESOLUTION_MAX_NS = 10_000_000_000L;

    /** Checks what has a range. A timeout and a longest wait take all 64 bits, as the C ABI does. */
    public Settings {
        InvalidValueException.between("extendByMs", extendByMs, 1, DAY_MS);
        InvalidValueException.between("clockResolutionNs", clockResolutionNs, 0, CLOCK_RESOLUTION_MAX_NS);
        Objects.requireNonNull(fallback, "fallback");
    }

    /**
     * The defaults: no known timeout, an exact clock, no longest wait, the fallback allowed.
     *
     * @param extendByMs how much each extension asks for
     * @return the settings
     */
    public static Settings of(long extendByMs) {
        return new Settings(extendByMs, 0, 0, 0, Fallback.BAND);
    }

    /**
     * The same with a request timeout.
     *
     * @param ms 1 or more
     * @return the settings
     */
    public Settings withRequestTimeoutMs(long ms) {
        InvalidValueException.between("requestTimeoutMs", ms, 1, Long.MAX_VALUE);
        return new Settings(extendByMs, ms, clockResolutionNs, maxWaitMs, fallback);
    }

    /**
     * The same for a coarse clock.
     *
     * @param ns 0 to 10,000,000,000
     * @return the settings
     */
    public Settings withClockResolutionNs(long ns) {
        return new Settings(extendByMs, requestTimeoutMs, ns, maxWaitMs, fallback);
    }

    /**
     * The same with a longest wait.
     *
     * @param ms 1 or more
     * @return the settings
     */
    public Settings withMaxWaitMs(long ms) {
        InvalidValueException.between("maxWaitMs", ms, 1, Long.MAX_VALUE);
        return new Settings(extendByMs, requestTimeoutMs, clockResolutionNs, ms, fallback);
    }

    /**
     * The same with another fallback.
     *
     * @param fallback what to do with a server that does not say what remains
     * @return the settings
     */
    public Settings withFallback(Fallback fallback) {
        return new Settings(extendByMs, requestTimeoutMs, clockResolutionNs, maxWaitMs, fallback);
    }
}
