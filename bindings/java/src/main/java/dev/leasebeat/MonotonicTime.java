package dev.leasebeat;

import java.util.concurrent.TimeUnit;

/**
 * A host's monotonic clock as the kernel reads it, unsigned and never through zero, and whether it can be trusted: a
 * machine that slept shows as a step between this clock and the wall's.
 */
final class MonotonicTime {
    /** A step between two looks that no slewing explains, and what slewing may add in the time between them. */
    private static final long JUMP_NS = 100_000_000;
    private static final long SLEW_PER = 1_000;

    /** So far from 0 and from the end that a reading from before the start, or 100 years later, is on the same side. */
    private static final long START = 1L << 62;
    /** The longest span: half of it before the start or behind it is another half of the clock. */
    static final long MAX_NS = Long.MAX_VALUE / 4;

    private final LeaseClock clock;
    private final long origin;
    private long lookedAt;
    private long drift;

    MonotonicTime(LeaseClock clock) {
        this.clock = clock;
        origin = clock.nanoTime();
        lookedAt = START;
        drift = drift(START);
    }

    /** Now, for the kernel. */
    long now() {
        return fromHost(clock.nanoTime());
    }

    /** A difference of two readings is right across their sign and their wrap; the readings are not. */
    long fromHost(long nanoTime) {
        return START + (nanoTime - origin);
    }

    /** The host's reading at an instant of the kernel; {@link #MAX_NS} from the start at the latest. */
    long toHost(long instant) {
        long since = instant - START;
        boolean beyond = Long.compareUnsigned(instant, START) > 0 && (since < 0 || since > MAX_NS);
        return origin + (beyond ? MAX_NS : since);
    }

    /** Whether the clocks have moved apart since the last look. */
    boolean jumped(long now) {
        long driftNow = drift(now);
        long allowed = JUMP_NS + Math.max(0, now - lookedAt) / SLEW_PER;
        boolean jumped = Math.abs(driftNow - drift) > allowed;
        lookedAt = now;
        drift = driftNow;
        return jumped;
    }

    private long drift(long now) {
        return TimeUnit.MILLISECONDS.toNanos(clock.currentTimeMillis()) - now;
    }

    /** By how much two readings may understate the time between them: twice the smallest step that is seen. */
    static long resolutionNs(LeaseClock clock) {
        long smallest = JUMP_NS / 2;
        long before = clock.nanoTime();
        for (int reading = 0; reading < 1_000; reading++) {
            long now = clock.nanoTime();
            if (now - before > 0) smallest = Math.min(smallest, now - before);
            before = now;
        }
        return 2 * smallest;
    }
}
