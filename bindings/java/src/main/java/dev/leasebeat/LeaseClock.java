package dev.leasebeat;

/** The two clocks of a host, whose jumps against each other give away that the machine slept. */
public interface LeaseClock {
    /** {@link System#nanoTime} and {@link System#currentTimeMillis}. */
    LeaseClock SYSTEM = new LeaseClock() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public long currentTimeMillis() {
            return System.currentTimeMillis();
        }
    };

    /**
     * A monotonic reading of any origin, which may be negative and may wrap.
     *
     * @return nanoseconds
     */
    long nanoTime();

    /**
     * The wall clock.
     *
     * @return milliseconds since the epoch
     */
    long currentTimeMillis();
}
