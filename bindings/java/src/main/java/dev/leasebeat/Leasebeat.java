package dev.leasebeat;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/** What needs no lease: answers decoded, failures classified, headers parsed. */
public final class Leasebeat {
    private static final int ANSWER_SIZE = 40;
    private static final int EVENT = ANSWER_SIZE;
    private static final int TEXTS = EVENT + Block.EVENT_SIZE;

    private Leasebeat() {}

    /**
     * The bridge into native code that this process has chosen.
     *
     * @return {@code ffm} for {@code java.lang.foreign}, or {@code jni}
     */
    public static String bridge() {
        return Native.CALLS.name();
    }

    /**
     * Decodes a raw HTTP answer by the predicate that is the same in every language (W1-W6).
     *
     * @param operation what it answers
     * @param status the status code, 0 to 65535
     * @param retryAfter the raw Retry-After header; null where the answer had none
     * @param body the body's bytes; read, not kept
     * @param unknownKeys what a key is that the schema does not name
     * @return the outcome to report, and what else the answer says
     */
    public static Decoded decode(
            Operation operation, int status, String retryAfter, byte[] body, UnknownKeys unknownKeys) {
        InvalidValueException.between("status", status, 0, 65535);
        byte[] header = retryAfter == null ? new byte[0] : retryAfter.getBytes(StandardCharsets.UTF_8);
        Block block = new Block(TEXTS + header.length + body.length);
        block.memory.put(0, (byte) operation.code);
        block.memory.put(1, (byte) unknownKeys.ordinal());
        block.memory.putShort(2, (short) status);
        block.memory.put(4, (byte) (retryAfter == null ? 0 : 1));
        block.memory.putLong(8, block.address + TEXTS);
        block.memory.putLong(16, header.length);
        block.memory.putLong(24, block.address + TEXTS + header.length);
        block.memory.putLong(32, body.length);
        block.memory.put(TEXTS, header).put(TEXTS + header.length, body);

        long answer = block.address;
        Function.check(Native.CALLS.call(Function.DECODE, answer, answer + EVENT, 0, 0, 0, 0));
        Optional<String> id = text(Function.DECODE_RESERVATION_ID, answer);
        Optional<String> problem = text(Function.DECODE_PROBLEM, answer);
        Outcome outcome = Layout.outcome(block.memory, EVENT, problem.orElse(null));
        block.keep();
        return new Decoded(outcome, id, problem);
    }

    private static Optional<String> text(int function, long answer) {
        return Optional.ofNullable(Texts.read((buffer, capacity, length) ->
                Native.CALLS.call(function, answer, buffer, capacity, length, 0, 0)));
    }

    /**
     * What the failure of an attempt means for the lease (C1-C4). The heartbeat classifies what it is told by itself;
     * this is for a host that wants to know.
     *
     * @param operation what the attempt asked for
     * @param failure how it failed
     * @return what that means
     */
    public static Disposition classify(Operation operation, Failure failure) {
        Objects.requireNonNull(failure, "failure");
        Block block = new Block(Block.EVENT_SIZE + 16);
        Layout.putFailure(block.memory, 0, failure, 0);
        long event = block.address;
        int status = Native.CALLS.call(Function.CLASSIFY, operation.code, event, event + Block.EVENT_SIZE, 0, 0, 0);
        Function.check(status);
        int at = Block.EVENT_SIZE;
        int reason = block.memory.get(at + 1) & 0xff;
        Disposition disposition = new Disposition(
                Disposition.Kind.values()[block.memory.get(at) - 1],
                reason == 0 ? null : StopReason.of(reason),
                Layout.get(block.memory, at + 8, block.memory.get(at + 2)));
        block.keep();
        return disposition;
    }

    /**
     * Parses the value of a Retry-After header (C5): decimal seconds with spaces and tabs around them, and nothing else.
     *
     * @param header its text
     * @return the milliseconds; empty where it is not valid, and so counts as absent
     */
    public static OptionalLong parseRetryAfter(String header) {
        byte[] bytes = header.getBytes(StandardCharsets.UTF_8);
        Block block = new Block(8 + bytes.length);
        block.memory.put(8, bytes);
        long at = block.address;
        int status = Native.CALLS.call(Function.PARSE_RETRY_AFTER, at + 8, bytes.length, at, 0, 0, 0);
        OptionalLong parsed = Layout.get(block.memory, 0, Function.has(status) ? 1 : 0);
        block.keep();
        return Layout.amount(parsed);
    }
}
