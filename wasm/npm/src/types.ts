import type { errorCodes, rules, stopReasons } from './names.js'

/**
 * A reading of one monotonic clock: a `number` of milliseconds with fractions, as `performance.now()` gives, or a
 * `bigint` of nanoseconds, as `process.hrtime.bigint()` gives. From 0 to 2^64 - 1 ns, which is 584 years.
 */
export type Reading = number | bigint

/** A measured span of time, as {@link Reading}: a `number` of milliseconds, or a `bigint` of nanoseconds. */
export type Elapsed = number | bigint

/** A count or an instant of the protocol: a whole `number` up to 2^53 - 1, or a `bigint` up to 2^64 - 1. */
export type Count = number | bigint

/** Why the kernel stopped. Most stops leave a proven lease: see `Heartbeat.fence`. */
export type StopReason = (typeof stopReasons)[number]
/** The rule that decided, by its id in the project's `docs/RULES.md`. */
export type Rule = (typeof rules)[number]
/** The protocol's error codes. */
export type ErrorCode = (typeof errorCodes)[number]

/** How a lease is to be kept. */
export interface Settings {
  /** How much each extension asks for, in ms: 1 to 86,400,000. Usually the TTL the lease was created with. */
  extendByMs: number
  /**
   * How long one whole attempt may take until its failure is reported, in ms: 1 or more. It includes noticing the
   * failure, so enforce somewhat less on the wire. Without it no delay is provably safe (P3).
   */
  requestTimeoutMs?: Count | null
  /** By how much two readings of the clock may understate the time between them, in ns: 0 to 10,000,000,000 (T3). */
  clockResolutionNs?: number | bigint
  /**
   * The longest wait the host's timer can take, in ms: 1 or more. By default 2,147,483,647, what `setTimeout` can take;
   * `null` is no bound.
   */
  maxWaitMs?: Count | null
  /** What to do with a server that does not say what remains: beat by what it grants, or stop (F1). */
  fallback?: 'band' | 'refuse'
}

/** What a schema-valid 200 said, and how long it took. */
export interface Success {
  /**
   * The round trip, from just before the send to the `now` that the event is handled with (T7). Absent or null where it
   * was not measured reliably: that is never read as zero (P2).
   */
  rtt?: Elapsed | null
  /** The body's `remaining_ttl_ms`; absent or null where the server does not send it (F1). */
  remainingTtlMs?: Count | null
  /** The body's `expires_at_ms`, on the server's clock. An extend without it is ambiguous (C1). */
  expiresAtMs?: Count | null
}

/** How an attempt failed. `problem` is for a log: what was wrong with the answer. */
export type Failure = { problem?: string } & (
  | { kind: 'timeout' | 'connection' | 'ambiguous' }
  | {
      kind: 'http'
      /** The status code, 0 to 65,535. A 2xx reported here is ambiguous (C1). */
      status: number
      /** The body's `error`. One that the protocol does not name is none. */
      code?: ErrorCode | (string & {}) | null
      /** The raw header of the answer: whole seconds, or else it is invalid (C5). */
      retryAfter?: string | null
    }
)

/** What became of one attempt. */
export type Outcome =
  | ({ type: 'created' } & Success)
  | ({ type: 'extended' } & Success)
  | { type: 'denied' }
  | ({ type: 'failed' } & Failure)

/** The attempt that a report answers, so that a late answer can do no harm (L2). */
export interface Answering {
  attempt?: number | null
}

/** Something that happened to the host. */
export type Event =
  /** Create the reservation through the kernel (L1). Only as the first thing. */
  | { type: 'begin' }
  /** Time passed. */
  | { type: 'tick' }
  /** The host slept, or learned that its clock jumped (T6). */
  | { type: 'timing-lost' }
  /** The work is done, or nobody wants the lease any more (L5). */
  | { type: 'close' }
  | (Outcome & Answering)

/** Send this attempt at once, and report what becomes of it. */
export interface Send {
  action: 'send'
  operation: 'create' | 'extend'
  /** Whether the idempotency key is a new one, or that of the attempt before. */
  key: 'fresh' | 'same'
  /** Its number, from 1: name it in the report. */
  attempt: number
  /** Counts the fresh keys: attempts with the same generation carry the same idempotency key. */
  keyGeneration: number
  /** What an extend asks for. */
  extendByMs: number
  /** By when its failure must have been reported; null where no timeout is known. Above 2^53 it is rounded. */
  timeoutMs: number | null
  rule: Rule
}

/** Do nothing for so long, then tick. */
export interface Wait {
  action: 'wait'
  /** 1 or more; null: until the next event. */
  waitMs: number | null
  rule: Rule
}

/** The kernel has stopped, and will say so to every further call. The lease may still be held: see `fence`. */
export interface Stop {
  action: 'stop'
  reason: StopReason
  rule: Rule
}

export type Decision = Send | Wait | Stop

/** What a failure means for the lease (C1 to C4). */
export type Disposition =
  | { disposition: 'transient' | 'throttled' | 'rejected' | 'unexpected-status' }
  | { disposition: 'permanent'; reason: StopReason }

/** Counts since the lease was made. Each sticks at 2^32 - 1. */
export interface Stats {
  /** Sends, creates included. */
  attempts: number
  /** Sends that repeated a key. */
  retries: number
  /** Extensions that a schema-valid answer proved. */
  extensions: number
  /** Attempts that failed, timed out or proved nothing. */
  failures: number
}
