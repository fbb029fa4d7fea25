package dev.leasebeat;

import java.util.OptionalLong;

/**
 * How it ended.
 *
 * @param reason why
 * @param fence until when the lease is held all the same, as {@link KeepAlive#fence}
 */
public record Stopped(StopReason reason, OptionalLong fence) {}
