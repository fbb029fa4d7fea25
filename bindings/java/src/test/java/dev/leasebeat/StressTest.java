package dev.leasebeat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** 10,000 leases and 16 threads; memory is held flat. */
class StressTest {
    private static final int LEASES = 10_000;
    private static final int THREADS = 16;
    private static final int ROUNDS = 12;
    /** The compiler and its code come in these. */
    private static final int WARM_UP = 6;
    private static final long SECOND = 1_000_000_000;
    private static final Success SUCCESS = new Success(60_000, 1);
    /** What the runtime may take for itself. A leaked lease is 400 bytes or more: 20 MB and more after the warm-up. */
    private static final long SLACK_KB = 6_000;

    private static void everywhere(Callable<Void> task) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        List<Future<Void>> running = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) running.add(threads.submit(task));
        for (Future<Void> each : running) each.get();
        threads.shutdown();
    }

    /** Calls from all threads on the same heartbeats: each is counted, and none sees another half done. */
    @Test
    void oneHeartbeatIsUsedByAllThreads() throws Exception {
        Heartbeat heartbeat = new Heartbeat(Settings.of(60_000).withRequestTimeoutMs(10_000));
        heartbeat.handle(new Outcome.Created(SUCCESS.timed(java.util.OptionalLong.of(1)), 0), SECOND);
        LongAdder misuses = new LongAdder();
        LongAdder sends = new LongAdder();
        everywhere(() -> {
            for (int call = 0; call < 20_000; call++) {
                // A beat is due; one thread takes it, and its answer is another's misuse at most.
                if (heartbeat.tick(40 * SECOND) instanceof Decision.Send) sends.increment();
                try {
                    Success success = new Success(
                            java.util.OptionalLong.of(1), java.util.OptionalLong.of(20_000), java.util.OptionalLong.of(1));
                    Decision decision = heartbeat.handle(new Outcome.Extended(success, 0), 40 * SECOND);
                    if (decision instanceof Decision.Send) sends.increment();
                } catch (MisuseException error) {
                    misuses.increment();
                }
                assertTrue(heartbeat.lead(40 * SECOND) <= 60_000);
                heartbeat.fence();
            }
            return null;
        });
        // Two successes without a delay stop it (P5): the first sent again, the second did not.
        assertEquals(StopReason.LEASE_TOO_SHORT, heartbeat.stopped().orElseThrow());
        assertEquals(2, heartbeat.stats().attempts());
        assertEquals(2, heartbeat.stats().extensions());
        assertEquals(2, sends.sum());
    }

    @Test
    void manyHeartbeatsLeaveNothingBehind() throws Exception {
        List<Long> resident = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            everywhere(() -> {
                List<Heartbeat> kept = new ArrayList<>();
                for (int lease = 0; lease < LEASES / THREADS; lease++) {
                    Heartbeat heartbeat = new Heartbeat(Settings.of(60_000).withRequestTimeoutMs(10_000));
                    heartbeat.handle(Event.Signal.BEGIN, SECOND);
                    heartbeat.handle(new Outcome.Created(SUCCESS, 1).timed(SECOND, SECOND + 1), SECOND + 1);
                    kept.add(heartbeat);
                }
                for (int beat = 1; beat <= 20; beat++) {
                    for (Heartbeat heartbeat : kept) {
                        heartbeat.tick(beat * 40 * SECOND);
                        long received = beat * 40 * SECOND + 1_000;
                        heartbeat.handle(new Outcome.Extended(SUCCESS, beat + 1).timed(beat * 40 * SECOND, received), received);
                    }
                }
                for (Heartbeat heartbeat : kept) {
                    assertEquals(20, heartbeat.stats().extensions());
                    heartbeat.close();
                }
                return null;
            });
            resident.add(settled());
        }
        flat(resident);
    }

    @Test
    void manyDriversLeaveNothingBehind() throws Exception {
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(2);
        scheduler.setRemoveOnCancelPolicy(true);
        Sender sender = attempt -> CompletableFuture.completedFuture(
                attempt.operation() == Operation.CREATE ? new Outcome.Created(SUCCESS, 0) : new Outcome.Extended(SUCCESS, 0));
        List<Long> resident = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            everywhere(() -> {
                List<KeepAlive> kept = new ArrayList<>();
                for (int lease = 0; lease < LEASES / THREADS; lease++) {
                    kept.add(KeepAlive.of(sender, Duration.ofSeconds(60), Duration.ofSeconds(10)).scheduler(scheduler).start());
                }
                for (KeepAlive lease : kept) {
                    // Each loses its timing, and so beats.
                    lease.timingLost();
                    assertTrue(lease.held());
                    assertEquals(1, lease.stats().extensions());
                    lease.close();
                }
                return null;
            });
            assertEquals(0, scheduler.getQueue().size(), "no timer is left");
            resident.add(settled());
        }
        scheduler.shutdown();
        flat(resident);
    }

    /** Resident memory no longer grows once the runtime is warm. */
    private static void flat(List<Long> resident) {
        System.out.println("resident after each round, KB: " + resident);
        long grown = resident.get(ROUNDS - 1) - resident.get(WARM_UP);
        assertTrue(grown <= SLACK_KB, "it grows: " + resident);
    }

    /** Resident memory in KB once what is unreachable is gone; of the direct buffers none but a few is left. */
    private static long settled() throws IOException, InterruptedException {
        BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct")).findFirst().orElseThrow();
        for (int tries = 0; tries < 100 && direct.getCount() > 100; tries++) {
            System.gc();
            Thread.sleep(20);
        }
        assertTrue(direct.getCount() <= 100, "direct buffers are left: " + direct.getCount());
        String resident = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS:")).findFirst().orElseThrow();
        return Long.parseLong(resident.replaceAll("\\D", ""));
    }
}
