package dev.leasebeat;

import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * What a call costs, beside a call through the same bridge that does nothing: JSON Lines. JMH has no way to set up a
 * state before each call of 50 ns that does not cost as much, so this makes short runs over many heartbeats, the beat and
 * its answer in turn, and the bare bridge between them; the median run counts, so that other work on the machine moves
 * neither a figure nor a ratio much.
 */
final class Calls {
    /** Few enough that all of them stay in the nearest cache. */
    private static final int HEARTBEATS = 64;

    private static final int WARM_UP = 40_000;
    private static final int RUNS = 40_001;
    private static final long SECOND = 1_000_000_000;
    private static final Success SUCCESS =
            new Success(OptionalLong.of(20_000_000), OptionalLong.of(60_000), OptionalLong.of(1));

    private final Heartbeat[] heartbeats = new Heartbeat[HEARTBEATS];
    private final Event success = new Outcome.Extended(SUCCESS, 0);
    private final Block block = new Block(Block.HEARTBEAT_SIZE);
    private long now = SECOND;

    /** Where decisions go, so that none is optimised away. */
    private Decision decided;

    private int status;

    private Calls() {
        for (int at = 0; at < HEARTBEATS; at++) {
            heartbeats[at] = new Heartbeat(Settings.of(60_000).withRequestTimeoutMs(10_000));
            heartbeats[at].handle(new Outcome.Created(SUCCESS, 0), now);
        }
    }

    private interface Run {
        void run();
    }

    public static void main(String[] arguments) {
        Calls calls = new Calls();
        Run[] cycle = {calls::noop, calls::early, calls::due, calls::success};
        String[] names = {"noop", "tick-early", "tick-due", "handle-success"};
        double[][] ns = new double[cycle.length][RUNS];
        for (int run = -WARM_UP; run < RUNS; run++) {
            for (int what = 0; what < cycle.length; what++) {
                long start = System.nanoTime();
                cycle[what].run();
                long end = System.nanoTime();
                if (run >= 0) ns[what][run] = (double) (end - start) / HEARTBEATS;
            }
        }
        // A beat was due in each run and answered in each: anything else would be the cost of something else.
        Stats stats = calls.heartbeats[0].stats();
        if (stats.extensions() != WARM_UP + RUNS || stats.failures() != 0) throw new IllegalStateException(stats.toString());
        double noop = median(ns[0]);
        for (int what = 1; what < cycle.length; what++) {
            double cost = median(ns[what]);
            System.out.printf(
                    Locale.ROOT,
                    "{\"name\": \"%s-%s\", \"ns_per_call\": %.1f, \"noop_ns\": %.1f, \"ratio\": %.2f}%n",
                    names[what], Leasebeat.bridge(), cost, noop, cost / noop);
        }
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    private void noop() {
        for (int at = 0; at < HEARTBEATS; at++) status += Native.CALLS.noop(block.address, block.address, now, at);
        block.keep();
    }

    private void early() {
        now += SECOND;
        for (Heartbeat heartbeat : heartbeats) decided = heartbeat.tick(now);
    }

    private void due() {
        now += 40 * SECOND;
        for (Heartbeat heartbeat : heartbeats) decided = heartbeat.tick(now);
    }

    private void success() {
        now += SECOND;
        for (Heartbeat heartbeat : heartbeats) decided = heartbeat.handle(success, now);
    }
}
