package dev.leasebeat;

import java.nio.ByteBuffer;
import java.util.OptionalLong;

/** The C structs, read and written where they lie. */
final class Layout {
    private static final int CREATED = 2;
    private static final int DENIED = 3;
    private static final int EXTENDED = 4;
    private static final int FAILED = 5;
    private static final int HTTP = 4;

    private static final int HAS_ATTEMPT = 1;
    private static final int HAS_RTT = 2;
    private static final int HAS_REMAINING_TTL = 4;
    private static final int HAS_EXPIRES_AT = 8;
    private static final int HAS_ERROR_CODE = 16;
    private static final int HAS_RETRY_AFTER = 32;

    private Layout() {}

    /** {@code leasebeat_event_t}, all but what its kind does not have. */
    static void putEvent(ByteBuffer to, int at, Event event) {
        if (event instanceof Event.Signal signal) {
            putHead(to, at, signal.code, 0, 0, 0, 0);
        } else if (event instanceof Outcome.Extended extended) {
            putSuccess(to, at, EXTENDED, extended.success(), extended.attempt());
        } else if (event instanceof Outcome.Created created) {
            putSuccess(to, at, CREATED, created.success(), created.attempt());
        } else if (event instanceof Outcome.Failed failed) {
            putFailure(to, at, failed.failure(), failed.attempt());
        } else {
            putHead(to, at, DENIED, 0, 0, 0, ((Outcome.Denied) event).attempt());
        }
    }

    /** A failure as an event, which names no attempt where that is 0. */
    static void putFailure(ByteBuffer to, int at, Failure failure, long attempt) {
        if (!(failure instanceof Failure.Http http)) {
            putHead(to, at, FAILED, ((Failure.Unproven) failure).code, 0, 0, attempt);
            return;
        }
        ErrorCode code = http.code();
        int present = (code == null ? 0 : HAS_ERROR_CODE) | put(to, at + 40, http.retryAfterMs(), HAS_RETRY_AFTER);
        putHead(to, at, FAILED, HTTP, code == null ? 0 : code.code, present, attempt);
        to.putLong(at + 8, status(http.status()));
    }

    /** The status and the reserved bytes behind it. */
    private static long status(int status) {
        return Block.LITTLE_ENDIAN ? status : (long) status << 48;
    }

    private static void putSuccess(ByteBuffer to, int at, int kind, Success success, long attempt) {
        int present = put(to, at + 16, success.rttNs(), HAS_RTT)
                | put(to, at + 24, success.remainingTtlMs(), HAS_REMAINING_TTL)
                | put(to, at + 32, success.expiresAtMs(), HAS_EXPIRES_AT);
        putHead(to, at, kind, 0, 0, present, attempt);
    }

    private static int put(ByteBuffer to, int at, OptionalLong value, int bit) {
        if (value.isEmpty()) return 0;
        to.putLong(at, value.getAsLong());
        return bit;
    }

    /** The first sixteen bytes: kind, failure, code and presence, the attempt, no status, nothing reserved. */
    private static void putHead(ByteBuffer to, int at, int kind, int failure, int code, int present, long attempt) {
        int presence = attempt == 0 ? present : present | HAS_ATTEMPT;
        int head = kind | failure << 8 | code << 16 | presence << 24;
        to.putInt(at, Block.LITTLE_ENDIAN ? head : Integer.reverseBytes(head));
        to.putInt(at + 4, (int) attempt);
        to.putLong(at + 8, 0);
    }

    /** {@code leasebeat_decision_t}. */
    static Decision decision(ByteBuffer from, int at) {
        long head = from.getLong(at);
        if (!Block.LITTLE_ENDIAN) head = Long.reverseBytes(head);
        Rule rule = Rule.of((int) (head >>> 8) & 0xff);
        boolean first = (head >>> 40 & 1) != 0;
        return switch ((int) head & 0xff) {
            case 1 -> new Decision.Send(
                    Operation.of((int) (head >>> 24) & 0xff),
                    Key.of((int) (head >>> 32) & 0xff),
                    Integer.toUnsignedLong(from.getInt(at + 8)),
                    Integer.toUnsignedLong(from.getInt(at + 12)),
                    from.getLong(at + 32),
                    from.getLong(at + 24),
                    rule);
            case 2 -> new Decision.Wait(first ? from.getLong(at + 16) : Decision.Wait.UNBOUNDED, rule);
            default -> new Decision.Stop(StopReason.of((int) (head >>> 16) & 0xff), rule);
        };
    }

    /** What {@code leasebeat_decode} wrote; {@code problem} is what was wrong with the answer, or null. */
    static Outcome outcome(ByteBuffer from, int at, String problem) {
        int present = from.get(at + 3) & 0xff;
        int failure = from.get(at + 1) & 0xff;
        return switch (from.get(at)) {
            case CREATED -> new Outcome.Created(success(from, at, present), 0);
            case EXTENDED -> new Outcome.Extended(success(from, at, present), 0);
            case DENIED -> new Outcome.Denied(0);
            default -> new Outcome.Failed(
                    failure == HTTP
                            ? new Failure.Http(
                                    from.getShort(at + 8) & 0xffff,
                                    (present & HAS_ERROR_CODE) == 0 ? null : ErrorCode.of(from.get(at + 2) & 0xff),
                                    amount(get(from, at + 40, present & HAS_RETRY_AFTER)))
                            : Failure.Unproven.AMBIGUOUS,
                    0,
                    problem);
        };
    }

    private static Success success(ByteBuffer from, int at, int present) {
        return new Success(
                OptionalLong.empty(),
                get(from, at + 24, present & HAS_REMAINING_TTL),
                get(from, at + 32, present & HAS_EXPIRES_AT));
    }

    /** A Retry-After beyond a {@code long} is beyond any lease, and so the longest means the same (R6, F6). */
    static OptionalLong amount(OptionalLong unsigned) {
        return unsigned.isPresent() && unsigned.getAsLong() < 0 ? OptionalLong.of(Long.MAX_VALUE) : unsigned;
    }

    static OptionalLong get(ByteBuffer from, int at, int present) {
        return present == 0 ? OptionalLong.empty() : OptionalLong.of(from.getLong(at));
    }

    /** {@code leasebeat_config_t}, 48 bytes that are zero. */
    static void putConfig(ByteBuffer to, int at, Settings settings) {
        to.putInt(at, CONFIG_SIZE);
        to.putInt(at + 4, (settings.requestTimeoutMs() == 0 ? 0 : 1) | (settings.maxWaitMs() == 0 ? 0 : 2));
        to.putLong(at + 8, settings.extendByMs());
        to.putLong(at + 16, settings.requestTimeoutMs());
        to.putLong(at + 24, settings.clockResolutionNs());
        to.putLong(at + 32, settings.maxWaitMs());
        to.put(at + 40, (byte) settings.fallback().ordinal());
    }

    static final int CONFIG_SIZE = 48;

    /** {@code leasebeat_plan_t}. */
    static Plan plan(ByteBuffer from, int at) {
        int present = from.getInt(at);
        return new Plan(
                from.getLong(at + 8),
                get(from, at + 16, present & 1),
                get(from, at + 24, present & 2),
                get(from, at + 32, present & 4),
                get(from, at + 40, present & 8),
                get(from, at + 48, present & 16));
    }

    /** {@code leasebeat_numbers_t}. */
    static Numbers numbers(ByteBuffer from, int at) {
        int present = from.getInt(at);
        boolean primary = (present & 1) != 0;
        boolean fallback = (present & 16) != 0;
        return new Numbers(
                get(from, at + 8, present & 1),
                get(from, at + 16, present & 1),
                get(from, at + 24, primary ? present & 2 : 0),
                get(from, at + 32, primary ? present & 4 : 0),
                get(from, at + 40, primary ? present & 8 : 0),
                get(from, at + 48, present & 16),
                fallback && from.getInt(at + 4) != 0);
    }
}
