package dev.leasebeat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The driver with a sender and clocks of the test's own. A lease of 3.1 s has a beat due after 0.1 s. */
@Timeout(20)
class DriverTest {
    private static final Duration TTL = Duration.ofSeconds(60);
    private static final Duration TIMEOUT = Duration.ofMillis(400);
    private static final long REMAINING_MS = 3_100;

    private final AtomicInteger sends = new AtomicInteger();
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final List<FailureReport> failures = new CopyOnWriteArrayList<>();
    private final List<Decision> decisions = new CopyOnWriteArrayList<>();

    private final KeepAliveListener listener = new KeepAliveListener() {
        @Override
        public void onDecision(Decision decision) {
            decisions.add(decision);
        }

        @Override
        public void onFailure(FailureReport report) {
            failures.add(report);
        }

        @Override
        public void onWarning(String message) {
            warnings.add(message);
        }
    };

    private static Outcome success(Attempt attempt, long remainingMs) {
        Success success = new Success(remainingMs, 1_785_585_660_000L);
        return attempt.operation() == Operation.CREATE
                ? new Outcome.Created(success, 0) : new Outcome.Extended(success, 0);
    }

    private CompletableFuture<Outcome> answer(Attempt attempt) {
        sends.incrementAndGet();
        return CompletableFuture.completedFuture(success(attempt, REMAINING_MS));
    }

    private KeepAliveBuilder keeper(Sender sender) {
        return KeepAlive.of(sender, TTL, TIMEOUT).giveUp(Duration.ofMillis(200)).listener(listener);
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) Thread.sleep(5);
    }

    /** The system's clock with another origin, and a wall clock that can be set. */
    private static final class Clock implements LeaseClock {
        private final long offset;
        final AtomicLong wall = new AtomicLong();

        Clock(long start) {
            offset = start - System.nanoTime();
        }

        @Override
        public long nanoTime() {
            return System.nanoTime() + offset;
        }

        @Override
        public long currentTimeMillis() {
            return TimeUnit.NANOSECONDS.toMillis(System.nanoTime()) + wall.get();
        }
    }

    /** A clock that goes through zero, through its greatest number, or is nowhere near. */
    @ParameterizedTest
    @ValueSource(longs = {-250_000_000, Long.MAX_VALUE - 250_000_000, Long.MIN_VALUE, 0, -1, Long.MAX_VALUE})
    void aClockMayBeNegativeAndWrap(long start) throws InterruptedException {
        Clock clock = new Clock(start);
        try (KeepAlive lease = keeper(this::answer).clock(clock).start()) {
            await(() -> sends.get() >= 5);
            long left = lease.fence().orElseThrow() - clock.nanoTime();
            assertTrue(left > 2_500_000_000L && left <= REMAINING_MS * 1_000_000, "left: " + left);
            assertTrue(lease.danger().orElseThrow() - clock.nanoTime() < left);
            assertTrue(lease.held(Duration.ofSeconds(2)));
            assertFalse(lease.held(Duration.ofMillis(REMAINING_MS + 1)));
            assertFalse(lease.held(Duration.ofSeconds(Long.MAX_VALUE)));
        }
        assertEquals(List.of(), failures);
        assertEquals(List.of(), warnings);
        assertTrue(sends.get() <= 15, "a beat each 100 ms, not more: " + sends);
    }

    @Test
    void aReservationOfTheHostsOwnIsOnlyExtended() throws InterruptedException {
        long sentAt = System.nanoTime() - 1_000_000;
        List<Operation> operations = new CopyOnWriteArrayList<>();
        Sender sender = attempt -> {
            operations.add(attempt.operation());
            return answer(attempt);
        };
        try (KeepAlive lease = keeper(sender).created(new Success(REMAINING_MS, 1), sentAt).start()) {
            assertTrue(lease.granted().join());
            assertTrue(lease.fence().orElseThrow() <= sentAt + REMAINING_MS * 1_000_000);
            await(() -> operations.size() >= 2);
        }
        assertFalse(operations.contains(Operation.CREATE));
    }

    @Test
    void aStepOfTheWallClockIsLostTiming() throws InterruptedException {
        Clock clock = new Clock(0);
        Sender once = attempt -> sends.incrementAndGet() == 1
                ? CompletableFuture.completedFuture(success(attempt, 60_000)) : new CompletableFuture<>();
        try (KeepAlive lease = keeper(once).clock(clock).start()) {
            assertTrue(lease.held());
            clock.wall.addAndGet(50);
            assertTrue(lease.held(), "50 ms may be slewing");
            clock.wall.addAndGet(30_000);
            assertFalse(lease.held(), "found by the question");
            await(() -> sends.get() == 2);
            assertEquals(Operation.EXTEND, ((Decision.Send) decisions.get(2)).operation());
            assertEquals(Rule.T6, decisions.get(2).rule());
        }
    }

    @Test
    void aSleepIsFoundWithoutAnyQuestion() throws InterruptedException {
        Clock clock = new Clock(0);
        Sender sender = attempt -> {
            sends.incrementAndGet();
            return CompletableFuture.completedFuture(success(attempt, 60_000));
        };
        try (KeepAlive lease = keeper(sender).clock(clock).checkEvery(Duration.ofMillis(50)).start()) {
            await(() -> sends.get() == 1);
            clock.wall.addAndGet(30_000);
            await(() -> sends.get() == 2);
        }
    }

    @Test
    void anAttemptThatHangsIsGivenUpAndNeverOverlaps() throws InterruptedException {
        AtomicInteger inFlight = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        List<CompletableFuture<Outcome>> hung = new CopyOnWriteArrayList<>();
        List<Attempt> attempts = new CopyOnWriteArrayList<>();
        Sender sender = attempt -> {
            attempts.add(attempt);
            most.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
            CompletableFuture<Outcome> answer = new CompletableFuture<>();
            answer.whenComplete((outcome, error) -> inFlight.decrementAndGet());
            if (attempt.number() == 2) hung.add(answer);
            else answer.complete(success(attempt, REMAINING_MS));
            return answer;
        };
        try (KeepAlive lease = keeper(sender).start()) {
            await(() -> attempts.size() >= 4);
            assertTrue(hung.get(0).isCancelled());
            assertFalse(hung.get(0).complete(success(attempts.get(1), 999_999)), "a late answer changes nothing");
            assertEquals(1, lease.stats().failures());
        }
        assertEquals(1, most.get());
        assertEquals(Failure.Unproven.TIMEOUT, failures.get(0).failure());
        assertEquals(attempts.get(1).idempotencyKey(), attempts.get(2).idempotencyKey());
        assertFalse(attempts.get(2).idempotencyKey().equals(attempts.get(3).idempotencyKey()));
    }

    @Test
    void whatASenderThrowsIsAFailureThatIsReported() throws InterruptedException {
        Sender sender = attempt -> switch (sends.incrementAndGet()) {
            case 2 -> throw new IOException("cannot connect");
            case 4 -> CompletableFuture.failedFuture(new java.net.http.HttpTimeoutException("slow"));
            case 6 -> CompletableFuture.completedFuture(null);
            case 8 -> CompletableFuture.completedFuture(new Outcome.Denied(0));
            case 10 -> null;
            default -> CompletableFuture.completedFuture(success(attempt, REMAINING_MS));
        };
        try (KeepAlive lease = keeper(sender).start()) {
            await(() -> sends.get() >= 11);
        }
        assertEquals(
                List.of(
                        Failure.Unproven.CONNECTION,
                        Failure.Unproven.TIMEOUT,
                        Failure.Unproven.AMBIGUOUS,
                        Failure.Unproven.AMBIGUOUS,
                        Failure.Unproven.CONNECTION),
                failures.stream().map(FailureReport::failure).toList());
        assertEquals(Disposition.Kind.TRANSIENT, failures.get(0).disposition().kind());
        assertEquals("java.io.IOException: cannot connect", failures.get(0).problem());
        assertInstanceOf(MisuseException.class, failures.get(3).error());
        assertTrue(failures.get(0).toString().startsWith("extend #2 of reservation unknown failed: connection, transient"));
    }

    @Test
    void whatAListenerThrowsStopsNoLease() throws InterruptedException {
        KeepAliveListener throwing = new KeepAliveListener() {
            @Override
            public void onDecision(Decision decision) {
                throw new IllegalStateException("of the test's own");
            }
        };
        try (KeepAlive lease = keeper(this::answer).listener(throwing).start()) {
            await(() -> sends.get() >= 4);
        }
    }

    @Test
    void aListenerMayCloseIt() throws Exception {
        CompletableFuture<KeepAlive> started = new CompletableFuture<>();
        KeepAliveListener closing = new KeepAliveListener() {
            @Override
            public void onDecision(Decision decision) {
                if (decision instanceof Decision.Wait && started.isDone()) started.join().close();
            }
        };
        KeepAlive lease = keeper(this::answer).listener(closing).start();
        started.complete(lease);
        assertEquals(StopReason.CLOSED, lease.stopped().get(10, TimeUnit.SECONDS).reason());
        int then = sends.get();
        Thread.sleep(300);
        assertEquals(then, sends.get());
    }

    @Test
    void aDeniedLeaseIsNotGranted() throws Exception {
        KeepAlive lease = keeper(attempt -> CompletableFuture.completedFuture(new Outcome.Denied(0))).start();
        assertFalse(lease.granted().get(1, TimeUnit.SECONDS));
        assertEquals(new Stopped(StopReason.NOT_GRANTED, OptionalLong.empty()), lease.stopped().get());
        assertTrue(warnings.get(0).contains("not-granted"));
        lease.close();
    }

    /** The create is granted for so short that no retry fits, then nothing is answered. */
    private Sender lapsing() {
        return attempt -> sends.incrementAndGet() == 1
                ? CompletableFuture.completedFuture(success(attempt, 300))
                : CompletableFuture.failedFuture(new IOException("down"));
    }

    @Test
    void cancelInterruptsTheWorkWhenTheLeaseLapses() throws Exception {
        ScheduledExecutorService worker = Executors.newScheduledThreadPool(1);
        CountDownLatch interrupted = new CountDownLatch(1);
        try (KeepAlive lease = keeper(lapsing()).policy(Policy.CANCEL).start()) {
            var work = lease.guard(worker.submit(() -> {
                try {
                    Thread.sleep(60_000);
                } catch (InterruptedException error) {
                    interrupted.countDown();
                }
            }));
            assertTrue(interrupted.await(5, TimeUnit.SECONDS));
            assertTrue(work.isCancelled());
            assertTrue(lease.lapsed().get(1, TimeUnit.SECONDS).contains("no longer provably held"));
            assertTrue(lease.guard(new CompletableFuture<Void>()).isCancelled(), "what comes later is cancelled at once");
        } finally {
            worker.shutdownNow();
        }
    }

    @Test
    void warnOnlyWarns() throws Exception {
        CompletableFuture<Void> work = new CompletableFuture<>();
        try (KeepAlive lease = keeper(lapsing()).start()) {
            lease.guard(work);
            lease.lapsed().get(5, TimeUnit.SECONDS);
            await(() -> warnings.size() >= 2);
        }
        assertFalse(work.isDone());
    }

    @Test
    void failOnFinalizeFailsTheClose() throws Exception {
        KeepAlive lease = keeper(lapsing()).policy(Policy.FAIL_ON_FINALIZE).start();
        lease.lapsed().get(5, TimeUnit.SECONDS);
        assertThrows(LeaseLapsedException.class, lease::close);
        lease.close();
        // One that was held all the time says nothing.
        keeper(this::answer).policy(Policy.FAIL_ON_FINALIZE).start().close();
    }

    @Test
    void closingCancelsWhatIsInFlight() throws Exception {
        CompletableFuture<Outcome> never = new CompletableFuture<>();
        KeepAlive lease = keeper(attempt -> never).start();
        lease.close();
        assertTrue(never.isCancelled());
        assertEquals(StopReason.CLOSED, lease.stopped().get(1, TimeUnit.SECONDS).reason());
        assertFalse(lease.held());
        assertEquals(OptionalLong.empty(), lease.fence());
        assertEquals(Duration.ZERO, lease.lead());
        lease.timingLost();
        lease.close();
    }

    @Test
    void aSchedulerThatIsShutDownIsAWarning() throws Exception {
        ScheduledThreadPoolExecutor scheduler = new ScheduledThreadPoolExecutor(1);
        scheduler.shutdownNow();
        try (KeepAlive lease = keeper(this::answer).scheduler(scheduler).start()) {
            assertEquals(StopReason.CLOSED, lease.stopped().get(1, TimeUnit.SECONDS).reason());
            assertTrue(warnings.get(0).contains("the scheduler takes no more tasks"), warnings.toString());
        }
    }

    @Test
    void aBlockingSenderIsInterruptedWhenItTakesTooLong() throws Exception {
        var executor = Executors.newCachedThreadPool();
        CountDownLatch interrupted = new CountDownLatch(1);
        Sender.Blocking blocking = attempt -> {
            if (attempt.number() != 2) return success(attempt, REMAINING_MS);
            try {
                Thread.sleep(60_000);
            } catch (InterruptedException error) {
                interrupted.countDown();
                throw error;
            }
            throw new AssertionError("it slept");
        };
        try (KeepAlive lease = keeper(Sender.blocking(executor, blocking)).start()) {
            assertTrue(interrupted.await(5, TimeUnit.SECONDS));
            await(() -> lease.stats().extensions() >= 2);
        } finally {
            executor.shutdownNow();
        }
        assertEquals(Failure.Unproven.TIMEOUT, failures.get(0).failure());
    }

    @Test
    void valuesOutOfRangeNameTheField() {
        assertThrows(InvalidValueException.class, () -> KeepAlive.of(this::answer, Duration.ZERO, TIMEOUT));
        var giveUp = assertThrows(
                InvalidValueException.class, () -> keeper(this::answer).giveUp(Duration.ofMillis(401)));
        assertEquals("giveUp", giveUp.field());
        assertEquals("giveUp is PT0.401S; it must be from 1 ms to 400 ms", giveUp.getMessage());
        try (KeepAlive lease = keeper(this::answer).start()) {
            assertThrows(InvalidValueException.class, () -> lease.held(Duration.ofNanos(-1)));
        }
    }
}
