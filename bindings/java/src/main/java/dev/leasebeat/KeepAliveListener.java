package dev.leasebeat;

/**
 * Is told what happens to a lease, one call at a time, outside any lock. Keep it short: the next send waits for it. What
 * it throws is logged, and stops no lease.
 */
public interface KeepAliveListener {
    /**
     * The kernel has decided. A decision to send is told before the attempt leaves.
     *
     * @param decision what is done next
     */
    default void onDecision(Decision decision) {}

    /**
     * An attempt failed. It is logged too.
     *
     * @param report which, how, and what it means
     */
    default void onFailure(FailureReport report) {}

    /**
     * The lease is no longer extended, or no longer provably held. It is logged too.
     *
     * @param message a sentence
     */
    default void onWarning(String message) {}
}
