package dev.leasebeat;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/**
 * Keeps a lease alive until it is closed or can no longer be kept: owns the timer, the measuring and the timeout around
 * one {@link Heartbeat}.
 *
 * <pre>{@code
 * try (KeepAlive lease = KeepAlive.of(sender, Duration.ofSeconds(60), Duration.ofSeconds(10)).start()) {
 *     if (!lease.granted().join()) throw new IllegalStateException(lease.stopped().join().toString());
 *     ... // the work, which may ask lease.held(Duration.ofSeconds(5)) before a step of 5 s
 * }
 * }</pre>
 *
 * <p>It never has two attempts in flight, never cancels the work unless the policy is {@link Policy#CANCEL}, and logs each
 * failure (logger {@code dev.leasebeat}). Safe for all threads. No lock is held while an attempt is sent or a listener is
 * told, and none is a monitor, so it pins no virtual thread.
 */
public final class KeepAlive implements AutoCloseable {
    private final Driver driver;

    KeepAlive(KeepAliveBuilder options) {
        driver = new Driver(options);
    }

    KeepAlive begin() {
        driver.begin();
        return this;
    }

    /**
     * A lease to be kept.
     *
     * @param sender sends the attempts
     * @param ttl what the create and each extension ask for: 1 ms to 24 h
     * @param timeout how long one attempt may take until its failure is reported: the lease must exceed two of them and a
     *     margin
     * @return what else can be set, and the start
     */
    public static KeepAliveBuilder of(Sender sender, Duration ttl, Duration timeout) {
        return new KeepAliveBuilder(sender, ttl, timeout);
    }

    /**
     * Whether the lease was granted.
     *
     * @return true with the first success, false where it stopped before
     */
    public CompletableFuture<Boolean> granted() {
        return driver.granted.copy();
    }

    /**
     * How it ended.
     *
     * @return the reason, and the fence; it never fails
     */
    public CompletableFuture<Stopped> stopped() {
        return driver.stopped.copy();
    }

    /**
     * Completes when the lease is no longer provably held, with a sentence that says so.
     *
     * @return never done where the lease is held until it is closed
     */
    public CompletableFuture<String> lapsed() {
        return driver.lapsed.copy();
    }

    /**
     * Under {@link Policy#CANCEL}, cancels the work when the lease lapses, with an interrupt; at once where it has.
     *
     * @param work what the lease guards
     * @return the same
     * @param <F> the future's type
     */
    public <F extends Future<?>> F guard(F work) {
        Objects.requireNonNull(work, "work");
        driver.guard(work);
        return work;
    }

    /**
     * Until when the lease is provably held.
     *
     * @return a reading of {@link System#nanoTime}, to be compared by subtraction; empty where nothing is proved
     */
    public OptionalLong fence() {
        return driver.instant(Heartbeat::fence);
    }

    /**
     * After this a failure ends it.
     *
     * @return as {@link #fence}
     */
    public OptionalLong danger() {
        return driver.instant(Heartbeat::danger);
    }

    /**
     * For how long the lease is provably held.
     *
     * @return whole milliseconds; zero where nothing is proved
     */
    public Duration lead() {
        return Duration.ofMillis(driver.read(Heartbeat::lead, 0L));
    }

    /**
     * Whether the lease is provably held now.
     *
     * @return whether it is
     */
    public boolean held() {
        return held(Duration.ZERO);
    }

    /**
     * Whether the lease is provably held for so long: whether a step of the work still fits.
     *
     * @param duration 0 or more; a fraction of a millisecond counts as one
     * @return whether it is
     */
    public boolean held(Duration duration) {
        if (duration.isNegative()) throw new InvalidValueException("duration", duration, "0 or more");
        boolean whole = duration.getNano() % 1_000_000 == 0;
        long most = Long.MAX_VALUE / 1_000 - 1;
        long ms = duration.getSeconds() > most ? Long.MAX_VALUE : duration.toMillis() + (whole ? 0 : 1);
        return driver.read((heartbeat, now) -> heartbeat.heldFor(ms, now), false);
    }

    /**
     * What has been counted.
     *
     * @return the counts; all 0 once it is closed
     */
    public Stats stats() {
        return driver.read((heartbeat, now) -> heartbeat.stats(), new Stats(0, 0, 0, 0));
    }

    /** Tells it that the machine slept or its clock jumped, where you know it better: the lease is extended at once. */
    public void timingLost() {
        driver.timingLost();
    }

    /**
     * The work is done: no further beat. What is in flight is cancelled, and nothing is held from here on. A second close
     * does nothing.
     *
     * @throws LeaseLapsedException under {@link Policy#FAIL_ON_FINALIZE}, where the lease was not held all the time
     */
    @Override
    public void close() {
        driver.close();
    }
}
