package dev.leasebeat;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One lease's kernel: events in; send, wait or stop out. It reads no clock and sends nothing; {@link KeepAlive} does both.
 *
 * <p>Every {@code nowNs} comes from one monotonic clock, and is an unsigned 64-bit number. {@link System#nanoTime} may be
 * negative and may wrap: count from a reading of your own ({@code System.nanoTime() - origin}), which is right across both.
 *
 * <p>Threads: calls may come from any thread; one at a time is in the kernel, and the others wait the fraction of a
 * microsecond that it takes. Nothing blocks, so a call pins no virtual thread.
 *
 * <p>Memory: native, 400 bytes, and freed by the garbage collector. {@link #close} only ends the use: what comes after is
 * an {@link IllegalStateException}, from any thread, and never a wrong read.
 */
public final class Heartbeat implements AutoCloseable {
    /** The bytes of a snapshot. */
    private static final int SNAPSHOT_SIZE = 96;

    private static final int EVENT = Block.HEARTBEAT_SIZE;
    private static final int DECISION = EVENT + Block.EVENT_SIZE;
    private static final int RESULT = DECISION + Block.DECISION_SIZE;
    private static final int SIZE = RESULT + Block.RESULT_SIZE;

    private static final VarHandle BUSY;

    static {
        try {
            BUSY = MethodHandles.lookup().findVarHandle(Heartbeat.class, "busy", boolean.class);
        } catch (ReflectiveOperationException error) {
            throw new ExceptionInInitializerError(error);
        }
    }

    private final Block block = new Block(SIZE);
    private final ByteBuffer memory = block.memory;
    private final long address = block.address;

    /** Whether a thread is in the kernel. Guards all that follows, and the memory. */
    @SuppressWarnings("unused")
    private boolean busy;

    private boolean closed;
    private boolean decided;

    /**
     * A heartbeat that has sent nothing. Next: {@link Event.Signal#BEGIN}, or {@link Outcome.Created} for a reservation
     * that the host created itself (L1).
     *
     * @param settings how the lease is to be kept
     */
    public Heartbeat(Settings settings) {
        // The config may lie where events will.
        Layout.putConfig(memory, EVENT, settings);
        int size = Block.HEARTBEAT_SIZE;
        Function.check(Native.CALLS.call(Function.INIT, address, size, address + EVENT, 0, 0, 0));
    }

    private Heartbeat() {}

    /**
     * Takes in one event that happened at {@code nowNs}, and says what to do.
     *
     * @param event what happened
     * @param nowNs the clock
     * @return what to do
     * @throws MisuseException where the event cannot happen now; nothing has changed
     */
    public Decision handle(Event event, long nowNs) {
        Objects.requireNonNull(event, "event");
        enter();
        try {
            Layout.putEvent(memory, EVENT, event);
            return decide(Native.CALLS.handle(address, address + EVENT, nowNs, address + DECISION));
        } finally {
            leave();
        }
    }

    /**
     * What is due at {@code nowNs}: early and late calls are fine.
     *
     * @param nowNs the clock
     * @return what to do
     */
    public Decision tick(long nowNs) {
        enter();
        try {
            return decide(Native.CALLS.tick(address, nowNs, address + DECISION));
        } finally {
            leave();
        }
    }

    private Decision decide(int status) {
        if (status != Function.OK) throw MisuseException.of(status);
        decided = true;
        return Layout.decision(memory, DECISION);
    }

    /**
     * When the heartbeat next has something to do: the end of the wait, or the timeout of the attempt in flight (V4).
     *
     * @return an instant on the clock; empty: not before the next event
     */
    public OptionalLong nextDeadline() {
        return instant(Function.NEXT_DEADLINE);
    }

    /**
     * The instant until which the lease is provably held: the send of the last proven attempt plus what the server said
     * remained, never later (V1).
     *
     * @return an instant on the clock; empty where nothing is proved
     */
    public OptionalLong fence() {
        return instant(Function.FENCE);
    }

    /**
     * The last instant at which a complete retry plus margin still fits (V2): a failure after it stops the heartbeat.
     *
     * @return an instant on the clock; empty where the fence is
     */
    public OptionalLong danger() {
        return instant(Function.DANGER);
    }

    private OptionalLong instant(int function) {
        enter();
        try {
            int status = Native.CALLS.call(function, address, address + RESULT, 0, 0, 0, 0);
            return Function.has(status) ? OptionalLong.of(memory.getLong(RESULT)) : OptionalLong.empty();
        } finally {
            leave();
        }
    }

    /**
     * How long the lease is provably still held (V3).
     *
     * @param nowNs the clock
     * @return whole milliseconds, rounded down; 0 where nothing is proved
     */
    public long lead(long nowNs) {
        enter();
        try {
            Function.check(Native.CALLS.call(Function.LEAD, address, nowNs, address + RESULT, 0, 0, 0));
            return memory.getLong(RESULT);
        } finally {
            leave();
        }
    }

    /**
     * Whether the lease is provably held for so long: whether a step of the work still fits (V3).
     *
     * @param durationMs from {@code nowNs} on
     * @param nowNs the clock
     * @return whether it is
     */
    public boolean heldFor(long durationMs, long nowNs) {
        InvalidValueException.amount("durationMs", durationMs);
        enter();
        try {
            Function.check(Native.CALLS.call(Function.HELD_FOR, address, durationMs, nowNs, address + RESULT, 0, 0));
            return memory.get(RESULT) != 0;
        } finally {
            leave();
        }
    }

    /**
     * The attempt in flight: sent, and neither reported nor timed out.
     *
     * @return its number; empty where there is none
     */
    public OptionalLong inFlight() {
        enter();
        try {
            int status = Native.CALLS.call(Function.IN_FLIGHT, address, address + RESULT, 0, 0, 0, 0);
            if (!Function.has(status)) return OptionalLong.empty();
            return OptionalLong.of(Integer.toUnsignedLong(memory.getInt(RESULT)));
        } finally {
            leave();
        }
    }

    /**
     * Why the heartbeat has stopped.
     *
     * @return the reason; empty while it has not
     */
    public Optional<StopReason> stopped() {
        enter();
        try {
            int status = Native.CALLS.call(Function.STOPPED, address, address + RESULT, 0, 0, 0, 0);
            return Function.has(status) ? Optional.of(StopReason.of(memory.get(RESULT) & 0xff)) : Optional.empty();
        } finally {
            leave();
        }
    }

    /**
     * What has been counted.
     *
     * @return the counts
     */
    public Stats stats() {
        enter();
        try {
            Function.check(Native.CALLS.call(Function.STATS, address, address + RESULT, 0, 0, 0, 0));
            return new Stats(count(0), count(4), count(8), count(12));
        } finally {
            leave();
        }
    }

    private long count(int at) {
        return Integer.toUnsignedLong(memory.getInt(RESULT + at));
    }

    /**
     * What the last success and the round trips so far come to.
     *
     * @return the cadence
     */
    public Plan plan() {
        enter();
        try {
            Function.check(Native.CALLS.call(Function.PLAN, address, address + RESULT, 0, 0, 0, 0));
            return Layout.plan(memory, RESULT);
        } finally {
            leave();
        }
    }

    /**
     * The last decision in one line for a log: what, and by which rule.
     *
     * @return the line
     */
    public String describe() {
        return sentence(Function.DESCRIBE);
    }

    /**
     * Why the last decision was so: the rule, the numbers, and what can be done about a stop.
     *
     * @return some sentences
     */
    public String explain() {
        return sentence(Function.EXPLAIN);
    }

    private String sentence(int function) {
        enter();
        try {
            requireDecision();
            long decision = address + DECISION;
            return Texts.read((buffer, capacity, length) -> function == Function.DESCRIBE
                    ? Native.CALLS.call(function, decision, buffer, capacity, length, 0, 0)
                    : Native.CALLS.call(function, address, decision, buffer, capacity, length, 0));
        } finally {
            leave();
        }
    }

    /**
     * The numbers behind the last decision.
     *
     * @return the numbers; empty where it was not decided by numbers
     */
    public Optional<Numbers> numbers() {
        enter();
        try {
            requireDecision();
            long decision = address + DECISION;
            int status = Native.CALLS.call(Function.NUMBERS, address, decision, address + RESULT, 0, 0, 0);
            return Function.has(status) ? Optional.of(Layout.numbers(memory, RESULT)) : Optional.empty();
        } finally {
            leave();
        }
    }

    private void requireDecision() {
        if (!decided) throw new IllegalStateException("this heartbeat has decided nothing yet");
    }

    /**
     * What of the heartbeat still means something on another clock (V5): bytes of a versioned format with a checksum. Take
     * one after each decision to send and before the attempt leaves, or a key may be used twice.
     *
     * @return the bytes
     */
    public byte[] snapshot() {
        enter();
        try {
            Block to = new Block(SNAPSHOT_SIZE);
            Function.check(Native.CALLS.call(Function.SNAPSHOT, address, to.address, SNAPSHOT_SIZE, 0, 0, 0));
            byte[] snapshot = new byte[SNAPSHOT_SIZE];
            to.memory.get(0, snapshot);
            to.keep();
            return snapshot;
        } finally {
            leave();
        }
    }

    /**
     * A heartbeat of a snapshot.
     *
     * @param heartbeat the heartbeat
     * @param decision what it wants done first: what lost timing would have it do (T6)
     */
    public record Restored(Heartbeat heartbeat, Decision decision) {}

    /**
     * Makes a heartbeat of a snapshot, on another clock: a lease that was waiting for a beat is extended at once.
     *
     * @param snapshot what {@link #snapshot} gave
     * @param nowNs the new clock
     * @return the heartbeat, and what to do first
     * @throws SnapshotException where the bytes are no snapshot
     */
    public static Restored restore(byte[] snapshot, long nowNs) {
        Heartbeat heartbeat = new Heartbeat();
        int length = snapshot.length;
        Block from = new Block(Math.max(1, length));
        from.memory.put(0, snapshot);
        long address = heartbeat.address;
        int status = Native.CALLS.call(
                Function.RESTORE, address, Block.HEARTBEAT_SIZE, from.address, length, nowNs, address + DECISION);
        from.keep();
        heartbeat.block.keep();
        if (status != Function.OK) throw SnapshotException.of(status);
        return new Restored(heartbeat, heartbeat.decide(status));
    }

    /** Ends the use. Any later call but this one is an {@link IllegalStateException}. */
    @Override
    public void close() {
        acquire();
        closed = true;
        leave();
    }

    private void enter() {
        acquire();
        if (closed) {
            leave();
            throw new IllegalStateException("this heartbeat is closed");
        }
    }

    /** A lock held for less than a microsecond: waiting for it costs less than parking. */
    private void acquire() {
        for (int tries = 1; !BUSY.weakCompareAndSetAcquire(this, false, true); tries++) {
            if (tries % 64 == 0) Thread.yield();
            else Thread.onSpinWait();
        }
    }

    private void leave() {
        block.keep();
        BUSY.setRelease(this, false);
    }
}
