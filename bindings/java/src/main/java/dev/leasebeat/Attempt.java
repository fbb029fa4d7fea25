package dev.leasebeat;

/**
 * An attempt to be sent.
 *
 * @param operation what it asks of the server
 * @param number its number, from 1
 * @param idempotencyKey the same for attempts of the same {@code keyGeneration}, and no other's
 * @param keyGeneration counts the fresh keys
 * @param extendByMs what an extend asks for, and a create for its TTL
 */
public record Attempt(Operation operation, long number, String idempotencyKey, long keyGeneration, long extendByMs) {}
