package dev.leasebeat;

/**
 * Counts since the heartbeat was made. Each sticks at 2<sup>32</sup> - 1.
 *
 * @param attempts sends, creates included
 * @param retries sends that repeated a key
 * @param extensions extensions that a valid answer proved
 * @param failures attempts that failed, timed out or proved nothing
 */
public record Stats(long attempts, long retries, long extensions, long failures) {}
