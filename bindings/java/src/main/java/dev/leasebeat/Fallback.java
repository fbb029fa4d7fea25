package dev.leasebeat;

/** What to do with a server that does not say how long the lease still lives (F1). */
public enum Fallback {
    /** Measure grants and beat on a best effort (F2-F7). The default. */
    BAND,
    /** Stop with {@link StopReason#REMAINING_TTL_ABSENT}: proof or nothing. */
    REFUSE
}
