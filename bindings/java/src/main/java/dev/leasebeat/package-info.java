/**
 * {@link dev.leasebeat.Heartbeat} is one lease's kernel: events in; send, wait or stop out. {@link dev.leasebeat.KeepAlive}
 * drives it with timers and a sender, {@link dev.leasebeat.CyclesLease} sends to the Cycles REST API, and
 * {@link dev.leasebeat.Leasebeat} has what needs no lease.
 *
 * <p>Numbers. Amounts ({@code ...Ms}, {@code rttNs}) are from 0 to {@link java.lang.Long#MAX_VALUE}, and a negative one is
 * an {@link dev.leasebeat.InvalidValueException}. Instants ({@code ...Ns} of one monotonic clock) are unsigned 64-bit
 * numbers in a {@code long}: those from 2<sup>63</sup> on print as negative, and compare with
 * {@link java.lang.Long#compareUnsigned}. {@code P4} and the like are the ids of the rules in the project's
 * {@code docs/RULES.md}. No argument and no result is {@code null} unless it says so.
 */
package dev.leasebeat;
