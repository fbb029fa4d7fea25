package dev.leasebeat;

/**
 * The way into the native file. Arguments are numbers and addresses; all that is structured lies in {@link Block}s, so
 * that what a bridge does cannot differ from what another does.
 */
abstract class Bridge {
    /** {@code leasebeat_handle}. */
    abstract int handle(long heartbeat, long event, long nowNs, long decision);

    /** {@code leasebeat_tick}. */
    abstract int tick(long heartbeat, long nowNs, long decision);

    /** Any other function of the C ABI, by its number in {@link Function}. */
    abstract int call(int function, long a, long b, long c, long d, long e, long f);

    /** The cost of the bridge itself. */
    abstract int noop(long heartbeat, long event, long nowNs, long decision);

    /** {@code jni} or {@code ffm}. */
    abstract String name();
}
