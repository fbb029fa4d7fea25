package dev.leasebeat;

import java.util.Objects;

/** What to do now, and by which rule. */
public sealed interface Decision {
    /**
     * The rule that decided.
     *
     * @return its id in the project's rules
     */
    Rule rule();

    /**
     * Send this attempt at once, and report what becomes of it.
     *
     * @param operation what it asks of the server
     * @param key whether its idempotency key is a new one, or that of the attempt before
     * @param attempt its number, from 1: name it in the report
     * @param keyGeneration counts the fresh keys: attempts with the same one carry the same idempotency key
     * @param extendByMs what an extend asks for
     * @param timeoutMs by when its failure must have been reported; {@link #NO_TIMEOUT} where none is known. Unsigned
     * @param rule the rule that decided
     */
    record Send(
            Operation operation, Key key, long attempt, long keyGeneration, long extendByMs, long timeoutMs, Rule rule)
            implements Decision {
        /** No request timeout was declared. */
        public static final long NO_TIMEOUT = 0;

        /** Checks that nothing is null. */
        public Send {
            Objects.requireNonNull(operation, "operation");
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(rule, "rule");
        }
    }

    /**
     * Do nothing for so long, then tick.
     *
     * @param waitMs 1 or more; {@link #UNBOUNDED}: until the next event
     * @param rule the rule that decided
     */
    record Wait(long waitMs, Rule rule) implements Decision {
        /** There is nothing to do until the next event. */
        public static final long UNBOUNDED = -1;

        /** Checks that nothing is null. */
        public Wait {
            Objects.requireNonNull(rule, "rule");
        }
    }

    /**
     * The kernel has stopped, and will say so to every further call. The lease may still be held: see
     * {@link Heartbeat#fence}.
     *
     * @param reason why
     * @param rule the rule that decided
     */
    record Stop(StopReason reason, Rule rule) implements Decision {
        /** Checks that nothing is null. */
        public Stop {
            Objects.requireNonNull(reason, "reason");
            Objects.requireNonNull(rule, "rule");
        }
    }
}
