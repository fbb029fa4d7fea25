import { count, low, optionalCount, optionalTime, outOfRange, small, time } from './check.js'
import { outOfRoom, type Core } from './core.js'
import { errorCodes, rules, stopReasons } from './names.js'
import type {
  Answering,
  Count,
  Decision,
  Disposition,
  Event,
  Failure,
  Reading,
  Settings,
  Stats,
  StopReason,
  Success,
} from './types.js'

const TIMER_MAX_MS = 2 ** 31 - 1

/** A wrong use of the kernel. Nothing has changed, the clock included (L2). */
export class MisuseError extends Error {
  override readonly name = 'MisuseError'
  /**
   * `unexpected-event`: a report of the wrong kind or with nothing in flight, or a second `begin`. `stale-attempt`: the
   * report answers an attempt that is not in flight; usually a late answer, to be dropped.
   */
  readonly code: 'unexpected-event' | 'stale-attempt'

  constructor(code: 'unexpected-event' | 'stale-attempt') {
    super(code === 'stale-attempt' ? 'the attempt is not the one in flight' : 'the event cannot happen now')
    this.code = code
  }
}

/**
 * One lease's kernel: events in, decisions out. It reads no clock and sends nothing.
 *
 * It lives in WebAssembly's memory: `free` it, or leave that to the garbage collector.
 */
export class Heartbeat {
  protected readonly core: Core
  #lease: number
  readonly #extendByMs: number
  readonly #timeoutMs: number | null

  /** Made by a kernel's `heartbeat(settings)`. */
  constructor(core: Core, settings: Settings) {
    const { extendByMs, requestTimeoutMs, clockResolutionNs = 0, maxWaitMs = TIMER_MAX_MS, fallback = 'band' } = settings
    const extend = count('extendByMs', extendByMs, 1, 86_400_000n) + low
    const timeout = optionalCount('requestTimeoutMs', requestTimeoutMs, 1)
    const timeoutLow = low
    const resolution = count('clockResolutionNs', clockResolutionNs, 0, 10_000_000_000n) + low
    const wait = optionalCount('maxWaitMs', maxWaitMs, 1)
    if (fallback !== 'band' && fallback !== 'refuse') throw outOfRange('fallback', fallback, '"band" or "refuse"')
    this.core = core
    this.#extendByMs = extend
    this.#timeoutMs = requestTimeoutMs == null ? null : Number(requestTimeoutMs)
    this.#lease = core.wasm.lease_new(extend, timeout, timeoutLow, resolution, wait, low, fallback === 'refuse' ? 1 : 0) >>> 0
    if (!this.#lease) throw outOfRoom('another lease')
    registry.register(this, [core, this.#lease], this)
  }

  /**
   * Takes in one event that happened at `now`, and says what to do.
   *
   * @throws MisuseError where the event cannot happen now. RangeError or TypeError, naming the field, for a value out of
   * range. Nothing has changed then.
   */
  handle(event: Event, now: Reading): Decision {
    const { wasm } = this.core
    const lease = this.lease
    switch (event.type) {
      case 'tick':
        return this.tick(now)
      case 'begin':
        return this.#decision(wasm.command(lease, 0, time('now', now), low))
      case 'close':
        return this.#decision(wasm.command(lease, 1, time('now', now), low))
      case 'timing-lost':
        return this.#decision(wasm.command(lease, 2, time('now', now), low))
      case 'created':
        return this.#succeeded(1, event, now)
      case 'extended':
        return this.#succeeded(0, event, now)
      case 'denied': {
        const attempt = attemptOf(event)
        return this.#decision(wasm.failed(lease, attempt, time('now', now), low, -1, 0, -1))
      }
      case 'failed': {
        const attempt = attemptOf(event)
        const what = failureOf(event)
        const header = event.kind === 'http' ? this.core.header(event.retryAfter) : -1
        return this.#decision(wasm.failed(lease, attempt, time('now', now), low, what, codeOf(event), header))
      }
      default:
        throw outOfRange('type', (event as { type?: unknown }).type, 'the name of an event')
    }
  }

  /** What is due at `now`: early and late calls are fine. */
  tick(now: Reading): Decision {
    return this.#decision(this.core.wasm.tick(this.lease, time('now', now), low))
  }

  /**
   * The instant until which the lease is provably held, in ms on the clock of `now`, rounded down (V1). Null where
   * nothing is proved.
   */
  get fence(): number | null {
    return orNull(this.core.wasm.fence(this.lease))
  }

  /** The last instant at which a failure can still be recovered, in ms, rounded down; null where the fence is (V2). */
  get danger(): number | null {
    return orNull(this.core.wasm.danger(this.lease))
  }

  /** When the kernel next has something to do, in ms, rounded up; null: not before the next event (V4). */
  get nextDeadline(): number | null {
    return orNull(this.core.wasm.next_deadline(this.lease))
  }

  /** For how many whole ms the lease is provably still held at `now`; 0 where nothing is proved (V3). */
  lead(now: Reading): number {
    return this.core.wasm.lead(this.lease, time('now', now), low)
  }

  /** Whether the lease is provably held from `now` for `durationMs` more; a fraction of a ms counts as one (V3). */
  isHeldFor(durationMs: Count, now: Reading): boolean {
    const whole = typeof durationMs === 'number' ? Math.ceil(durationMs) : durationMs
    const duration = count('durationMs', whole)
    const durationLow = low
    return this.core.wasm.held(this.lease, duration, durationLow, time('now', now), low) !== 0
  }

  /** Why the kernel has stopped, once it has. */
  get stopped(): StopReason | null {
    return stopReasons[this.core.wasm.stopped(this.lease)] ?? null
  }

  /** The number of the attempt in flight. */
  get inFlight(): number | null {
    return orNull(this.core.wasm.in_flight(this.lease))
  }

  get stats(): Stats {
    this.core.wasm.stats(this.lease)
    const [attempts, retries, extensions, failures] = this.core.out as unknown as [number, number, number, number]
    return { attempts, retries, extensions, failures }
  }

  /** Gives its memory back. Any later call but this one is an error. */
  free(): void {
    if (!this.#lease) return
    registry.unregister(this)
    this.core.wasm.lease_free(this.#lease)
    this.#lease = 0
  }

  protected get lease(): number {
    if (!this.#lease) throw new Error('this heartbeat was freed')
    return this.#lease
  }

  #succeeded(created: 0 | 1, event: Success & Answering, now: Reading): Decision {
    const attempt = attemptOf(event)
    const rtt = optionalTime('rtt', event.rtt)
    const rttLow = low
    const remaining = optionalCount('remainingTtlMs', event.remainingTtlMs)
    const remainingLow = low
    const expires = optionalCount('expiresAtMs', event.expiresAtMs)
    const expiresLow = low
    const ms = time('now', now)
    return this.#decision(
      // prettier-ignore
      this.core.wasm.succeeded(this.lease, created, attempt, ms, low, rtt, rttLow, remaining, remainingLow, expires, expiresLow),
    )
  }

  /** Unpacks `what | rule << 2 | detail << 8`. */
  #decision(packed: number): Decision {
    const { out } = this.core
    const detail = packed >>> 8
    const rule = rules[(packed >>> 2) & 63]!
    switch (packed & 3) {
      case 0:
        return { action: 'wait', waitMs: orNull(out[0]!), rule }
      case 1:
        return {
          action: 'send',
          operation: detail & 1 ? 'extend' : 'create',
          key: detail & 2 ? 'same' : 'fresh',
          attempt: out[0]!,
          keyGeneration: out[1]!,
          extendByMs: this.#extendByMs,
          timeoutMs: this.#timeoutMs,
          rule,
        }
      case 2:
        return { action: 'stop', reason: stopReasons[detail]!, rule }
      default:
        throw new MisuseError(detail ? 'stale-attempt' : 'unexpected-event')
    }
  }
}

export interface Heartbeat {
  /** As `free`, for `using`. Where the engine has no `Symbol.dispose`, it is not there. */
  [Symbol.dispose](): void
}
if (Symbol.dispose) Heartbeat.prototype[Symbol.dispose] = Heartbeat.prototype.free

/** Frees what nobody can reach any more. */
const registry = new FinalizationRegistry<[Core, number]>(([core, lease]) => core.wasm.lease_free(lease))

/** The kernel of one WebAssembly instance. */
export class HeartbeatKernel {
  protected readonly core: Core

  constructor(core: Core) {
    this.core = core
  }

  /**
   * A lease's heartbeat that has sent nothing. Next: `begin`, or `created` for a reservation that the host created itself
   * (L1).
   *
   * @throws RangeError or TypeError, naming the field, its value and its range; RangeError where memory is used up.
   */
  heartbeat(settings: Settings): Heartbeat {
    return new Heartbeat(this.core, settings)
  }

  /** What a failure means for the lease (C1 to C4). */
  classify(operation: 'create' | 'extend', failure: Failure): Disposition {
    const number = this.core.wasm.disposition(operation === 'create' ? 1 : 0, failureOf(failure), codeOf(failure))
    const disposition = (['transient', 'throttled', 'rejected', 'unexpected-status'] as const)[number]
    return disposition ? { disposition } : { disposition: 'permanent', reason: stopReasons[number - 4]! }
  }
}

function attemptOf({ attempt }: Answering): number {
  return attempt == null ? -1 : small('attempt', attempt, 2 ** 32 - 1)
}

function failureOf(failure: Failure): number {
  if (failure.kind === 'http') return small('status', failure.status, 65_535)
  const index = ['timeout', 'connection', 'ambiguous'].indexOf(failure.kind)
  if (index < 0) throw outOfRange('kind', failure.kind, '"timeout", "connection", "ambiguous" or "http"')
  return -2 - index
}

function codeOf(failure: Failure): number {
  // A number that no code has is none.
  return failure.kind === 'http' && failure.code != null ? errorCodes.indexOf(failure.code as never) : -1
}

function orNull(value: number): number | null {
  return value < 0 ? null : value
}
