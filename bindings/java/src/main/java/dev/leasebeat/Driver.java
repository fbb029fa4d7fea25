package dev.leasebeat;

import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** The state of a {@link KeepAlive}, all of it guarded by {@link Serial}. All decisions are the kernel's. */
final class Driver {
    private static final System.Logger LOG = System.getLogger("dev.leasebeat");
    /** A wake that comes a little early finds that little left; it is not worth a wake of its own. */
    private static final long SHORTEST_SLEEP_NS = 100_000;

    final CompletableFuture<Boolean> granted = new CompletableFuture<>();
    final CompletableFuture<Stopped> stopped = new CompletableFuture<>();
    final CompletableFuture<String> lapsed = new CompletableFuture<>();

    private final KeepAliveBuilder options;
    private final ScheduledExecutorService scheduler;
    private final MonotonicTime time;
    private final Heartbeat heartbeat;
    private final Serial serial = new Serial();
    private final List<Future<?>> work = new ArrayList<>();
    private ScheduledFuture<?> timer;
    private Flight flight;
    private StopReason stop;
    /** The sentence that says so, once the lease is no longer provably held. */
    private String lapse;
    private boolean closed;

    Driver(KeepAliveBuilder options) {
        this.options = options;
        scheduler = options.scheduler == null ? DefaultScheduler.SHARED : options.scheduler;
        time = new MonotonicTime(options.clock);
        heartbeat = new Heartbeat(options.settings());
    }

    void begin() {
        locked(now -> {
            Success created = options.created;
            if (created == null) decide(Event.Signal.BEGIN, now);
            else decide(new Outcome.Created(created, 0).timed(time.fromHost(options.createdSentAt), now), now);
        });
    }

    /** What is done at an instant. */
    private interface Step {
        void at(long now);
    }

    /** Under the lock, until it is closed; a sleep that nobody has noticed yet is found first. */
    private void locked(Step step) {
        serial.locked(() -> {
            if (closed) return null;
            long now = time.now();
            findJump(now);
            step.at(now);
            return null;
        });
    }

    /** A question to the heartbeat at an instant. */
    interface Question<T> {
        T ask(Heartbeat heartbeat, long now);
    }

    <T> T read(Question<T> question, T whenClosed) {
        return serial.locked(() -> {
            if (closed) return whenClosed;
            long now = time.now();
            findJump(now);
            return question.ask(heartbeat, now);
        });
    }

    OptionalLong instant(Function<Heartbeat, OptionalLong> question) {
        return toHost(read((heartbeat, now) -> question.apply(heartbeat), OptionalLong.empty()));
    }

    private OptionalLong toHost(OptionalLong instant) {
        return instant.isPresent() ? OptionalLong.of(time.toHost(instant.getAsLong())) : instant;
    }

    void timingLost() {
        locked(this::loseTiming);
    }

    void guard(Future<?> future) {
        boolean late = serial.locked(() -> {
            work.removeIf(Future::isDone);
            if (lapse == null) work.add(future);
            return lapse != null;
        });
        if (late && options.policy == Policy.CANCEL) future.cancel(true);
    }

    /** Says once, to the first that closes it, whether the lease has lapsed. */
    void close() {
        String sentence = serial.locked(() -> {
            if (closed) return null;
            long now = time.now();
            findJump(now);
            watchFence(now);
            if (isRunning()) decide(Event.Signal.CLOSE, now);
            closed = true;
            if (timer != null) timer.cancel(false);
            heartbeat.close();
            return lapse;
        });
        if (options.policy == Policy.FAIL_ON_FINALIZE && sentence != null) throw new LeaseLapsedException(sentence);
    }

    private boolean isRunning() {
        return !closed && stop == null;
    }

    /** The timer: what is due, and what has lapsed. */
    private void wake() {
        try {
            locked(now -> {
                if (isRunning() && flight != null && now - flight.giveUpAt >= 0) {
                    serial.later(flight::cancel);
                    report(flight.attempt, new Outcome.Failed(Failure.Unproven.TIMEOUT), null, now);
                } else if (isRunning()) {
                    decide(Event.Signal.TICK, now);
                } else {
                    watchFence(now);
                    arm(now);
                }
            });
        } catch (RuntimeException fault) {
            // A scheduler would keep it to itself.
            LOG.log(Level.ERROR, "the timer of a lease failed", fault);
        }
    }

    /** Where one clock moved and the other did not, no measured time can be trusted. */
    private void findJump(long now) {
        if (time.jumped(now)) loseTiming(now);
    }

    private void loseTiming(long now) {
        if (isRunning()) {
            decide(Event.Signal.TIMING_LOST, now);
            return;
        }
        // It says why it stopped once more, and the fence goes (L5).
        heartbeat.handle(Event.Signal.TIMING_LOST, now);
        if (stop != StopReason.CLOSED) lapse();
    }

    /** The answer to an attempt; one that is not in flight any more is dropped. */
    void answered(Flight answered, long sentNs, Outcome outcome, Throwable error) {
        locked(now -> {
            if (flight != answered) {
                LOG.log(Level.DEBUG, "a late answer to attempt {0} is dropped", answered.attempt.number());
            } else if (error != null || outcome == null) {
                report(answered.attempt, new Outcome.Failed(Flight.failureOf(error)), error, now);
            } else {
                report(answered.attempt, outcome.timed(sentNs, now), null, now);
            }
        });
    }

    private void report(Attempt attempt, Outcome outcome, Throwable error, long now) {
        flight = null;
        if (outcome instanceof Outcome.Failed failed) tellFailure(attempt, failed, error);
        try {
            decide(outcome.of(attempt.number()), now);
        } catch (MisuseException misuse) {
            // What the sender gave is no outcome of this attempt: it proves nothing.
            Outcome.Failed nothing = new Outcome.Failed(Failure.Unproven.AMBIGUOUS);
            tellFailure(attempt, nothing, misuse);
            decide(nothing.of(attempt.number()), now);
        }
    }

    private void decide(Event event, long now) {
        Decision decision = heartbeat.handle(event, now);
        boolean success = event instanceof Outcome.Created || event instanceof Outcome.Extended;
        if (success) serial.later(() -> granted.complete(true));
        serial.later(() -> options.listener.onDecision(decision));
        if (decision instanceof Decision.Send send) take(send, now);
        if (decision instanceof Decision.Stop end && stop == null) finish(end.reason(), now);
        watchFence(now);
        arm(now);
    }

    private void take(Decision.Send send, long now) {
        // One that the kernel has given up, as a late timer may find, is not in flight beside another.
        if (flight != null) serial.later(flight::cancel);
        String key = options.keys.apply(send.keyGeneration());
        Attempt attempt =
                new Attempt(send.operation(), send.attempt(), key, send.keyGeneration(), send.extendByMs());
        Flight taken = new Flight(this, attempt, now + options.giveUpNs);
        flight = taken;
        serial.later(() -> taken.send(options.sender, time));
    }

    private void finish(StopReason reason, long now) {
        stop = reason;
        if (flight != null) serial.later(flight::cancel);
        flight = null;
        OptionalLong fence = heartbeat.fence();
        Stopped how = new Stopped(reason, toHost(fence));
        serial.later(() -> granted.complete(false));
        serial.later(() -> stopped.complete(how));
        if (reason == StopReason.CLOSED) return;
        String until = fence.isPresent()
                ? "it is held for " + heartbeat.lead(now) + " ms more"
                : "nothing says that it is still held";
        warn("is no longer extended (" + reason + "); " + until);
        if (fence.isEmpty()) lapse();
    }

    /** Notices a lease that has lapsed. */
    private void watchFence(long now) {
        OptionalLong fence = heartbeat.fence();
        boolean passed = fence.isPresent() && Long.compareUnsigned(now, fence.getAsLong()) >= 0;
        if (passed && stop != StopReason.CLOSED) lapse();
    }

    private void lapse() {
        if (lapse != null) return;
        String sentence = warn("is no longer provably held");
        lapse = sentence;
        serial.later(() -> lapsed.complete(sentence));
        cancelWork();
    }

    private void cancelWork() {
        if (options.policy != Policy.CANCEL) return;
        for (Future<?> future : work) serial.later(() -> future.cancel(true));
        work.clear();
    }

    /** The one timer: at the kernel's deadline, the attempt's end, the fence, or the next look at the clocks. */
    private void arm(long now) {
        if (timer != null) timer.cancel(false);
        timer = null;
        boolean ended = stop == StopReason.CLOSED || stop != null && lapse != null;
        if (ended) return;
        long sleep = options.checkEveryNs;
        if (stop == null) sleep = until(heartbeat.nextDeadline(), now, sleep);
        if (flight != null) sleep = Math.min(sleep, flight.giveUpAt - now);
        if (lapse == null) sleep = until(heartbeat.fence(), now, sleep);
        try {
            timer = scheduler.schedule(this::wake, Math.max(sleep, SHORTEST_SLEEP_NS), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException shutDown) {
            if (stop != null) return;
            warn("is no longer extended: the scheduler takes no more tasks");
            decide(Event.Signal.CLOSE, now);
        }
    }

    /** The time until an instant, at most {@code most}; one beyond half of the clock is that far away. */
    private static long until(OptionalLong instant, long now, long most) {
        if (instant.isEmpty()) return most;
        long left = instant.getAsLong() - now;
        boolean far = left < 0 && Long.compareUnsigned(instant.getAsLong(), now) > 0;
        return far ? most : Math.min(most, left);
    }

    private void tellFailure(Attempt attempt, Outcome.Failed failed, Throwable error) {
        String problem = failed.problem() == null && error != null ? error.toString() : failed.problem();
        FailureReport report = new FailureReport(
                options.sender.reservationId().orElse(null),
                attempt,
                failed.failure(),
                Leasebeat.classify(attempt.operation(), failed.failure()),
                problem,
                error);
        serial.later(() -> LOG.log(Level.WARNING, report::toString));
        serial.later(() -> options.listener.onFailure(report));
    }

    private String warn(String what) {
        String message = "the lease of reservation " + options.sender.reservationId().orElse("unknown") + " " + what;
        serial.later(() -> LOG.log(Level.WARNING, message));
        serial.later(() -> options.listener.onWarning(message));
        return message;
    }
}
