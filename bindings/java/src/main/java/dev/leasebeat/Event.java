package dev.leasebeat;

/** Something that happened to the host: a {@link Signal}, or the {@link Outcome} of an attempt. */
public sealed interface Event permits Event.Signal, Outcome {
    /** An event that says nothing more than that it happened. */
    enum Signal implements Event {
        /** Create the reservation through the kernel; only as the first thing (L1). */
        BEGIN(1),
        /** Time passed: a timer fired, early or late. The same as {@link Heartbeat#tick}. */
        TICK(6),
        /** The host slept, or learned that its clock jumped: no measured time can be trusted (T6). */
        TIMING_LOST(7),
        /** The work is done, or nobody wants the lease any more (L5). */
        CLOSE(8);

        final int code;

        Signal(int code) {
            this.code = code;
        }
    }
}
