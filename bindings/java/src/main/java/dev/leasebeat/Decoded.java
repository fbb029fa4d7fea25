package dev.leasebeat;

import java.util.Optional;

/**
 * What a raw HTTP answer proves.
 *
 * @param outcome what to report; name its attempt, and time a success
 * @param reservationId of an answer to a create that was granted
 * @param problem the first thing that is wrong with the answer, in words; empty where nothing is
 */
public record Decoded(Outcome outcome, Optional<String> reservationId, Optional<String> problem) {}
