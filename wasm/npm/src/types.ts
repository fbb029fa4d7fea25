/// <reference lib="esnext.disposable" preserve="true" />
import type { ErrorCode, Rule, StopReason } from './names.js'

export type { ErrorCode, Rule, StopReason } from './names.js'

/**
 * A reading of one monotonic clock: a `number` of milliseconds with fractions, as `performance.now()` gives, or a
 * `bigint` of nanoseconds, as `process.hrtime.bigint()` gives. From 0 to 2^64 - 1 ns, which is 584 years.
 */
export type Reading = number | bigint

/** A measured span of time, as {@link Reading}: a `number` of milliseconds, or a `bigint` of nanoseconds. */
export type Elapsed = number | bigint

/** A count or an instant of the protocol: a whole `number` up to 2^53 - 1, or a `bigint` up to 2^64 - 1. */
export type Count = number | bigint

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

/**
 * One lease's kernel: events in, decisions out. It reads no clock and sends nothing.
 *
 * It lives in WebAssembly's memory: `free` it, or leave that to the garbage collector.
 */
export interface Heartbeat {
  /**
   * Takes in one event that happened at `now`, and says what to do.
   *
   * @throws MisuseError where the event cannot happen now. RangeError or TypeError, naming the field, for a value out of
   * range. Nothing has changed then.
   */
  handle(event: Event, now: Reading): Decision
  /** What is due at `now`: early and late calls are fine. */
  tick(now: Reading): Decision
  /**
   * The instant until which the lease is provably held, in ms on the clock of `now`, rounded down (V1). Null where
   * nothing is proved.
   */
  readonly fence: number | null
  /** The last instant at which a failure can still be recovered, in ms, rounded down; null where the fence is (V2). */
  readonly danger: number | null
  /** When the kernel next has something to do, in ms, rounded up; null: not before the next event (V4). */
  readonly nextDeadline: number | null
  /** For how many whole ms the lease is provably still held at `now`; 0 where nothing is proved (V3). */
  lead(now: Reading): number
  /** Whether the lease is provably held from `now` for `durationMs` more; a fraction of a ms counts as one (V3). */
  isHeldFor(durationMs: Count, now: Reading): boolean
  /** Why the kernel has stopped, once it has. */
  readonly stopped: StopReason | null
  /** The number of the attempt in flight. */
  readonly inFlight: number | null
  readonly stats: Stats
  /** Gives its memory back. Any later call but this one is an error. */
  free(): void
  /** As `free`, for `using`. Where the engine has no `Symbol.dispose`, it is not there. */
  [Symbol.dispose](): void
}

/** The kernel of one WebAssembly instance. */
export interface HeartbeatKernel {
  /**
   * A lease's heartbeat that has sent nothing. Next: `begin`, or `created` for a reservation that the host created itself
   * (L1).
   *
   * @throws RangeError or TypeError, naming the field, its value and its range; RangeError where memory is used up.
   */
  heartbeat(settings: Settings): Heartbeat
  /** What a failure means for the lease (C1 to C4). */
  classify(operation: 'create' | 'extend', failure: Failure): Disposition
}
