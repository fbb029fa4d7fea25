package dev.leasebeat;

/** The numbers by which {@code leasebeat_java_call} knows the functions, and what they return. */
final class Function {
    static final int ABI = 1;

    static final int ABI_VERSION = 0;
    static final int SIZEOF = 1;
    static final int NAME = 2;
    static final int CONFIG_CHECK = 3;
    static final int PLAN_CONFIG = 4;
    static final int INIT = 5;
    static final int NEXT_DEADLINE = 6;
    static final int LEAD = 7;
    static final int FENCE = 8;
    static final int DANGER = 9;
    static final int HELD_FOR = 10;
    static final int IN_FLIGHT = 11;
    static final int STOPPED = 12;
    static final int STATS = 13;
    static final int PLAN = 14;
    static final int DESCRIBE = 15;
    static final int EXPLAIN = 16;
    static final int NUMBERS = 17;
    static final int CLASSIFY = 18;
    static final int PARSE_RETRY_AFTER = 19;
    static final int DECODE = 20;
    static final int DECODE_RESERVATION_ID = 21;
    static final int DECODE_PROBLEM = 22;
    static final int SNAPSHOT = 23;
    static final int RESTORE = 24;

    static final int NAME_OF_STATUS = 0;
    static final int TEXT_OF_STATUS = 1;
    static final int NAME_OF_STOP = 2;
    static final int NAME_OF_RULE = 3;
    static final int NAME_OF_ERROR_CODE = 4;
    static final int NAME_OF_OPERATION = 5;
    static final int NAME_OF_KEY = 6;

    static final int OK = 0;
    static final int NONE = 1;
    static final int SIZE = -5;
    static final int UNEXPECTED_EVENT = -30;
    static final int STALE_ATTEMPT = -31;
    static final int SNAPSHOT_FORMAT = -50;
    static final int SNAPSHOT_CHECKSUM = -51;
    static final int SNAPSHOT_VALUE = -52;

    private Function() {}

    /** A status that only a fault of this package can bring about. */
    static IllegalStateException fault(int status) {
        return new IllegalStateException("leasebeat's native library answered " + status + ": "
                + Texts.name(TEXT_OF_STATUS, status) + "; please report this");
    }

    /** True where there is a result, false where there is none. */
    static boolean has(int status) {
        if (status == OK) return true;
        if (status == NONE) return false;
        throw fault(status);
    }

    static void check(int status) {
        if (status != OK) throw fault(status);
    }
}
