package dev.leasebeat;

import java.util.Objects;
import java.util.OptionalLong;

/**
 * What became of one attempt. {@link #of} names the attempt it answers, so that a late answer is an error instead of a
 * surprise (L2); {@link #timed} adds a success's round trip.
 */
public sealed interface Outcome extends Event {
    /** Attempts count from 1 to 2<sup>32</sup> - 1. */
    private static long attempt(long attempt) {
        return InvalidValueException.between("attempt", attempt, 0, 0xffff_ffffL);
    }

    /**
     * The attempt that it answers.
     *
     * @return its number; 0 where none is named
     */
    long attempt();

    /**
     * The same, as the answer to an attempt.
     *
     * @param attempt its number, from {@link Decision.Send#attempt}; 0 names none
     * @return the same outcome of that attempt
     */
    Outcome of(long attempt);

    /**
     * The same with the round trip, where it is a success. A clock that went back has measured none.
     *
     * @param sentNs the clock just before the send
     * @param receivedNs the clock at the very instant that it is handled with (T7)
     * @return the same outcome, timed
     */
    default Outcome timed(long sentNs, long receivedNs) {
        return this;
    }

    /** The round trip between two unsigned readings; one that is longer than a {@code long} was not measured. */
    private static OptionalLong between(long sentNs, long receivedNs) {
        long rtt = receivedNs - sentNs;
        boolean measured = Long.compareUnsigned(receivedNs, sentNs) >= 0 && rtt >= 0;
        return measured ? OptionalLong.of(rtt) : OptionalLong.empty();
    }

    /**
     * A valid 200 to a create that was allowed; also a reservation that the host created itself, as the first event.
     *
     * @param success what it said
     * @param attempt the attempt it answers; 0: not named
     */
    record Created(Success success, long attempt) implements Outcome {
        /** Checks the values. */
        public Created {
            Objects.requireNonNull(success, "success");
            Outcome.attempt(attempt);
        }

        @Override
        public Created of(long attempt) {
            return new Created(success, attempt);
        }

        @Override
        public Created timed(long sentNs, long receivedNs) {
            return new Created(success.timed(between(sentNs, receivedNs)), attempt);
        }
    }

    /**
     * A valid 200 to an extend. Without {@code expiresAtMs} it is ambiguous (C1).
     *
     * @param success what it said
     * @param attempt the attempt it answers; 0: not named
     */
    record Extended(Success success, long attempt) implements Outcome {
        /** Checks the values. */
        public Extended {
            Objects.requireNonNull(success, "success");
            Outcome.attempt(attempt);
        }

        @Override
        public Extended of(long attempt) {
            return new Extended(success, attempt);
        }

        @Override
        public Extended timed(long sentNs, long receivedNs) {
            return new Extended(success.timed(between(sentNs, receivedNs)), attempt);
        }
    }

    /**
     * A valid 200 to a create that was denied, or to a dry run (L4).
     *
     * @param attempt the attempt it answers; 0: not named
     */
    record Denied(long attempt) implements Outcome {
        /** Checks the value. */
        public Denied {
            Outcome.attempt(attempt);
        }

        @Override
        public Denied of(long attempt) {
            return new Denied(attempt);
        }
    }

    /**
     * An attempt failed.
     *
     * @param failure how
     * @param attempt the attempt it answers; 0: not named
     * @param problem for a log: what was wrong with the answer; null where nothing is to be said
     */
    record Failed(Failure failure, long attempt, String problem) implements Outcome {
        /** Checks the values. */
        public Failed {
            Objects.requireNonNull(failure, "failure");
            Outcome.attempt(attempt);
        }

        /**
         * A failure of an attempt that is not named yet.
         *
         * @param failure how
         */
        public Failed(Failure failure) {
            this(failure, 0, null);
        }

        @Override
        public Failed of(long attempt) {
            return new Failed(failure, attempt, problem);
        }
    }
}
