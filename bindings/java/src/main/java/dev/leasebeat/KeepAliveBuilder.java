package dev.leasebeat;

import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongFunction;

/** What {@link KeepAlive#of} makes: how a lease is to be kept. */
public final class KeepAliveBuilder {
    private static final Duration CHECK_EVERY = Duration.ofSeconds(10);
    private static final long SYSTEM_RESOLUTION_NS = MonotonicTime.resolutionNs(LeaseClock.SYSTEM);

    final Sender sender;
    final long ttlMs;
    final long timeoutMs;
    long giveUpNs;
    long checkEveryNs = CHECK_EVERY.toNanos();
    long clockResolutionNs = SYSTEM_RESOLUTION_NS;
    Fallback fallback = Fallback.BAND;
    Policy policy = Policy.WARN;
    KeepAliveListener listener = new KeepAliveListener() {};
    ScheduledExecutorService scheduler;
    LongFunction<String> keys;
    LeaseClock clock = LeaseClock.SYSTEM;
    Success created;
    long createdSentAt;

    KeepAliveBuilder(Sender sender, Duration ttl, Duration timeout) {
        this.sender = Objects.requireNonNull(sender, "sender");
        ttlMs = between("ttl", ttl, 1, 86_400_000);
        timeoutMs = between("timeout", timeout, 1, 86_400_000);
        giveUpNs = timeoutMs * 750_000;
        String id = UUID.randomUUID().toString();
        keys = generation -> id + "-" + generation;
    }

    private static long between(String field, Duration value, long leastMs, long mostMs) {
        if (value.compareTo(Duration.ofMillis(leastMs)) < 0 || value.compareTo(Duration.ofMillis(mostMs)) > 0) {
            throw new InvalidValueException(field, value, "from " + leastMs + " ms to " + mostMs + " ms");
        }
        return value.toMillis();
    }

    /**
     * When an attempt is cancelled: below the timeout, which includes noticing it. By default three quarters of it.
     *
     * @param giveUp 1 ms to the timeout
     * @return this
     */
    public KeepAliveBuilder giveUp(Duration giveUp) {
        between("giveUp", giveUp, 1, timeoutMs);
        giveUpNs = giveUp.toNanos();
        return this;
    }

    /**
     * How often the monotonic and the wall clock are compared, besides at every event and question: a machine that slept
     * is noticed so long after it woke at the latest. By default 10 s.
     *
     * @param checkEvery 10 ms to a day
     * @return this
     */
    public KeepAliveBuilder checkEvery(Duration checkEvery) {
        checkEveryNs = between("checkEvery", checkEvery, 10, 86_400_000) * 1_000_000;
        return this;
    }

    /**
     * By how much two readings of the clock may understate the time between them (T3). By default it is measured.
     *
     * @param resolution 0 to 10 s
     * @return this
     */
    public KeepAliveBuilder clockResolution(Duration resolution) {
        between("clockResolution", resolution, 0, 10_000);
        clockResolutionNs = resolution.toNanos();
        return this;
    }

    /**
     * What to do with a server that does not say what remains (F1).
     *
     * @param fallback by default {@link Fallback#BAND}
     * @return this
     */
    public KeepAliveBuilder fallback(Fallback fallback) {
        this.fallback = Objects.requireNonNull(fallback, "fallback");
        return this;
    }

    /**
     * What happens to the work when its lease lapses.
     *
     * @param policy by default {@link Policy#WARN}
     * @return this
     */
    public KeepAliveBuilder policy(Policy policy) {
        this.policy = Objects.requireNonNull(policy, "policy");
        return this;
    }

    /**
     * Who is told what happens.
     *
     * @param listener called one at a time, on the scheduler's or the sender's threads
     * @return this
     */
    public KeepAliveBuilder listener(KeepAliveListener listener) {
        this.listener = Objects.requireNonNull(listener, "listener");
        return this;
    }

    /**
     * What runs the timers. By default one daemon thread that all leases share. It is never shut down here.
     *
     * @param scheduler many leases may share it
     * @return this
     */
    public KeepAliveBuilder scheduler(ScheduledExecutorService scheduler) {
        this.scheduler = Objects.requireNonNull(scheduler, "scheduler");
        return this;
    }

    /**
     * The idempotency key of a generation. By default a random UUID of this lease with the generation behind it.
     *
     * @param keys must give each generation a key of its own, and always the same one, and throw nothing
     * @return this
     */
    public KeepAliveBuilder idempotencyKeys(LongFunction<String> keys) {
        this.keys = Objects.requireNonNull(keys, "keys");
        return this;
    }

    /**
     * The host's clocks.
     *
     * @param clock by default the system's; declare its resolution too
     * @return this
     */
    public KeepAliveBuilder clock(LeaseClock clock) {
        this.clock = Objects.requireNonNull(clock, "clock");
        return this;
    }

    /**
     * A reservation that you created yourself: nothing is created then.
     *
     * @param answer what the answer to the create said
     * @param sentAt {@link LeaseClock#nanoTime} just before you sent it
     * @return this
     */
    public KeepAliveBuilder created(Success answer, long sentAt) {
        created = Objects.requireNonNull(answer, "answer");
        createdSentAt = sentAt;
        return this;
    }

    Settings settings() {
        return new Settings(ttlMs, timeoutMs, clockResolutionNs, 0, fallback);
    }

    /**
     * Begins: the create, or the first extend, is sent from this call.
     *
     * @return the lease's keeper; close it when the work is done
     */
    public KeepAlive start() {
        return new KeepAlive(this).begin();
    }
}
