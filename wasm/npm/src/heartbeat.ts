/// <reference lib="esnext.disposable" preserve="true" />
import { outOfRange, outOfRoom, type Core } from './core.js'
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
    const { extendByMs, requestTimeoutMs, maxWaitMs = TIMER_MAX_MS, clockResolutionNs = 0, fallback = 'band' } = settings
    core.count(0, 'extendByMs', extendByMs, 1, 86_400_000)
    core.optional(2, 'requestTimeoutMs', requestTimeoutMs, 1)
    core.optional(4, 'maxWaitMs', maxWaitMs, 1)
    core.count(6, 'clockResolutionNs', clockResolutionNs, 0, 10_000_000_000)
    core.words[8] = ['band', 'refuse'].indexOf(fallback)
    if (core.words[8] < 0) throw outOfRange('fallback', fallback, '"band" or "refuse"')
    this.core = core
    this.#extendByMs = Number(extendByMs)
    this.#timeoutMs = requestTimeoutMs == null ? null : Number(requestTimeoutMs)
    this.#lease = core.wasm.lease_new() >>> 0
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
    const { core } = this
    const what = events.indexOf(event.type)
    if (what < 0) throw outOfRange('type', event.type, events.join(', '))
    core.time(0, 'now', now)
    switch (event.type) {
      case 'created':
      case 'extended':
        if (event.rtt == null) core.words[2] = -1
        else core.time(2, 'rtt', event.rtt)
        core.optional(4, 'remainingTtlMs', event.remainingTtlMs)
        core.optional(6, 'expiresAtMs', event.expiresAtMs)
        break
      case 'failed':
        return this.#decide(report(core, event, putFailure(core, event)))
    }
    return this.#decide(what > 3 ? report(core, event as Answering, what) : what)
  }

  /** What is due at `now`: early and late calls are fine. */
  tick(now: Reading): Decision {
    this.core.time(0, 'now', now)
    return this.#decide(0)
  }

  /**
   * The instant until which the lease is provably held, in ms on the clock of `now`, rounded down (V1). Null where
   * nothing is proved.
   */
  get fence(): number | null {
    return orNull(this.#read()[3]!)
  }

  /** The last instant at which a failure can still be recovered, in ms, rounded down; null where the fence is (V2). */
  get danger(): number | null {
    return orNull(this.#read()[4]!)
  }

  /** When the kernel next has something to do, in ms, rounded up; null: not before the next event (V4). */
  get nextDeadline(): number | null {
    return orNull(this.#read()[5]!)
  }

  /** For how many whole ms the lease is provably still held at `now`; 0 where nothing is proved (V3). */
  lead(now: Reading): number {
    this.core.time(0, 'now', now)
    return this.#read()[6]!
  }

  /** Whether the lease is provably held from `now` for `durationMs` more; a fraction of a ms counts as one (V3). */
  isHeldFor(durationMs: Count, now: Reading): boolean {
    this.core.count(2, 'durationMs', typeof durationMs === 'number' ? Math.ceil(durationMs) : durationMs)
    this.core.time(0, 'now', now)
    return this.#read()[2] === 1
  }

  /** Why the kernel has stopped, once it has. */
  get stopped(): StopReason | null {
    return stopReasons[this.#read()[7]!] ?? null
  }

  /** The number of the attempt in flight. */
  get inFlight(): number | null {
    return orNull(this.#read()[8]!)
  }

  get stats(): Stats {
    const [attempts, retries, extensions, failures] = this.#read().slice(9) as unknown as [number, number, number, number]
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

  #read(): Float64Array {
    this.core.wasm.read(this.lease)
    return this.core.words
  }

  /** Hands over what is in the words, and unpacks `what | rule << 2 | detail << 8`. */
  #decide(event: number): Decision {
    const packed = this.core.wasm.handle(this.lease, event)
    const { words } = this.core
    const detail = packed >>> 8
    const rule = rules[(packed >>> 2) & 63]!
    switch (packed & 3) {
      case 0:
        return { action: 'wait', waitMs: orNull(words[0]!), rule }
      case 1:
        return {
          action: 'send',
          operation: detail & 1 ? 'extend' : 'create',
          key: detail & 2 ? 'same' : 'fresh',
          attempt: words[0]!,
          keyGeneration: words[1]!,
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
    const event = putFailure(this.core, failure)
    const number = this.core.wasm.disposition(operation === 'create' ? 1 : 0, event)
    const disposition = (['transient', 'throttled', 'rejected', 'unexpected-status'] as const)[number]
    return disposition ? { disposition } : { disposition: 'permanent', reason: stopReasons[number - 4]! }
  }
}

/** By the numbers that the crate gives them, then the kinds of a failure. */
const events = ['tick', 'begin', 'close', 'timing-lost', 'created', 'extended', 'denied', 'failed'] as const
const kinds = ['timeout', 'connection', 'ambiguous', 'http'] as const

/** Writes the attempt that a report answers. */
function report(core: Core, { attempt }: Answering, event: number): number {
  if (attempt == null) core.words[8] = -1
  else core.count(8, 'attempt', attempt, 0, 4_294_967_295)
  return event
}

/** Writes a failure, and gives the number of its kind. */
function putFailure(core: Core, failure: Failure): number {
  const kind = kinds.indexOf(failure.kind)
  if (kind < 0) throw outOfRange('kind', failure.kind, kinds.join(', '))
  if (failure.kind === 'http') {
    core.count(2, 'status', failure.status, 0, 65_535)
    // A code that the protocol does not have is none.
    core.words[3] = errorCodes.indexOf(failure.code as never)
    core.header(4, failure.retryAfter)
  }
  return 7 + kind
}

function orNull(value: number): number | null {
  return value < 0 ? null : value
}
