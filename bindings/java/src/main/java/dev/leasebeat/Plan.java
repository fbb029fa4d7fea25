package dev.leasebeat;

import java.util.OptionalLong;

/**
 * What a timeout, a lead and a round trip come to (P3, P4). What is empty is unbounded, or cannot be.
 *
 * @param safetyMarginMs what timers and the network may steal besides an attempt
 * @param attemptBudgetMs how long one attempt may take until its failure is known; empty: unbounded
 * @param retryReserveMs what the delay keeps in reserve, two attempts and the margin; empty: unbounded
 * @param delayMs how long after an answer the next beat follows; empty: the lease is in the dead zone
 * @param largestTimeoutMs the largest request timeout that leaves a delay; empty: none does
 * @param shortestLeadMs the shortest lead that leaves a delay with this timeout; empty: none does
 */
public record Plan(
        long safetyMarginMs,
        OptionalLong attemptBudgetMs,
        OptionalLong retryReserveMs,
        OptionalLong delayMs,
        OptionalLong largestTimeoutMs,
        OptionalLong shortestLeadMs) {
    /**
     * What settings come to before anything is sent.
     *
     * @param settings the settings
     * @param leadMs the least {@code remaining_ttl_ms} to expect, less the round trip
     * @param maxRttMs the slowest round trip to expect
     * @return the cadence, or the dead zone and the largest safe timeout
     */
    public static Plan of(Settings settings, long leadMs, long maxRttMs) {
        InvalidValueException.amount("leadMs", leadMs);
        InvalidValueException.amount("maxRttMs", maxRttMs);
        Block block = new Block(Layout.CONFIG_SIZE + Block.RESULT_SIZE);
        Layout.putConfig(block.memory, 0, settings);
        long plan = block.address + Layout.CONFIG_SIZE;
        Function.check(Native.CALLS.call(Function.PLAN_CONFIG, block.address, leadMs, maxRttMs, plan, 0, 0));
        Plan read = Layout.plan(block.memory, Layout.CONFIG_SIZE);
        block.keep();
        return read;
    }
}
