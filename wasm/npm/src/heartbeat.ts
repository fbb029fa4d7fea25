import { outOfRange, U64_MAX, type Core } from './core.js'
import { MisuseError } from './misuse.js'
import { rules, stopReasons } from './names.js'
import type { Count, Decision, Disposition, Event, Failure, Heartbeat, HeartbeatKernel, Reading, Settings, Stats, StopReason } from './types.js'

const TIMER_MAX_MS = 2 ** 31 - 1

/** By the numbers that the crate gives them, then the kinds of a failure. */
const events = 'tick begin close timing-lost created extended denied failed'.split(' ')
const kinds = 'timeout connection ambiguous http'.split(' ')

/** A kernel, and what the one with everything builds on: the class of its leases, and where a lease is. */
export function heartbeatsOf([words, put, optional, time, take, give, wasm]: Core): readonly [
  HeartbeatKernel,
  new (settings: Settings) => Heartbeat & { readonly lease: number },
] {
  /** Frees what nobody can reach any more. */
  const registry = new FinalizationRegistry(give)

  class Lease implements Heartbeat {
    #lease = 0
    readonly #extendByMs: number
    readonly #timeoutMs: number | null

    constructor({ extendByMs, requestTimeoutMs, maxWaitMs = TIMER_MAX_MS, clockResolutionNs = 0, fallback = 'band' }: Settings) {
      put(0, 'extendByMs', extendByMs, 1, 86_400_000)
      optional(2, 'requestTimeoutMs', requestTimeoutMs, 1)
      optional(4, 'maxWaitMs', maxWaitMs, 1)
      put(6, 'clockResolutionNs', clockResolutionNs, 0, 1e10)
      const refuse = ['band', 'refuse'].indexOf(fallback)
      if (refuse < 0) throw outOfRange('fallback', fallback, 'band or refuse')
      words()[8] = refuse
      this.#extendByMs = Number(extendByMs)
      this.#timeoutMs = requestTimeoutMs == null ? null : Number(requestTimeoutMs)
      wasm.create((this.#lease = take()))
      registry.register(this, this.#lease, this)
    }

    handle(event: Event, now: Reading): Decision {
      let what = event.type === 'extended' ? 5 : events.indexOf(event.type)
      if (what < 0) throw outOfRange('type', event.type, events)
      time(0, 'now', now, what === 3 || what > 6)
      words()[8] = -1
      if (what > 3) optional(8, 'attempt', (event as { attempt?: number }).attempt, 0, 2 ** 32 - 1)
      if (event.type === 'failed') what = putFailure(event)
      else if (event.type === 'created' || event.type === 'extended') {
        if (event.rtt == null) words()[2] = -1
        else time(2, 'rtt', event.rtt, true)
        optional(4, 'remainingTtlMs', event.remainingTtlMs)
        optional(6, 'expiresAtMs', event.expiresAtMs)
      }
      return this.#decide(what)
    }

    tick(now: Reading): Decision {
      time(0, 'now', now, false)
      return this.#decide(0)
    }

    get fence(): number | null {
      return this.#read(3)
    }

    get danger(): number | null {
      return this.#read(4)
    }

    get nextDeadline(): number | null {
      return this.#read(5)
    }

    lead(now: Reading): number {
      time(0, 'now', now, true)
      return this.#read(6)!
    }

    isHeldFor(durationMs: Count, now: Reading): boolean {
      put(2, 'durationMs', typeof durationMs === 'number' ? Math.ceil(durationMs) : durationMs)
      time(0, 'now', now, true)
      return this.#read(2) === 1
    }

    get stopped(): StopReason | null {
      return stopReasons[this.#read(7)!] ?? null
    }

    get inFlight(): number | null {
      return this.#read(8)
    }

    get stats(): Stats {
      this.#read(9)
      const all = words()
      return { attempts: all[9]!, retries: all[10]!, extensions: all[11]!, failures: all[12]! }
    }

    free(): void {
      if (!this.#lease) return
      registry.unregister(this)
      give(this.#lease)
      this.#lease = 0
    }

    declare [Symbol.dispose]: () => void

    get lease(): number {
      if (!this.#lease) throw new Error('this heartbeat was freed')
      return this.#lease
    }

    #read(word: number): number | null {
      wasm.read(this.lease)
      const value = words()[word]!
      return value < 0 ? null : value
    }

    /** Hands over what is in the words, and unpacks `what | rule << 2 | detail << 8`. */
    #decide(event: number): Decision {
      const packed = wasm.handle(this.lease, event)
      const detail = packed >> 8
      const rule = rules[(packed >> 2) & 63]!
      const first = words()[0]!
      switch (packed & 3) {
        case 0:
          return { action: 'wait', waitMs: first < 0 ? null : first, rule }
        case 1:
          return {
            action: 'send',
            operation: detail & 1 ? 'extend' : 'create',
            key: detail & 2 ? 'same' : 'fresh',
            attempt: first,
            keyGeneration: words()[1]!,
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
  if (Symbol.dispose) Lease.prototype[Symbol.dispose] = Lease.prototype.free

  /** Writes a failure, and gives the number of its event. */
  const putFailure = (failure: Failure): number => {
    const { kind } = failure
    if (!kinds.includes(kind)) throw outOfRange('kind', kind, kinds)
    if (kind !== 'http') return 7
    put(2, 'status', failure.status, 0, 65_535)
    // C5: decimal seconds with blanks around them, or else none. More digits are more than a number of the kernel's.
    const seconds = /^[ \t]*0*(\d{1,17})[ \t]*$/.exec(failure.retryAfter!)?.[1]
    const ms = seconds && BigInt(seconds) * 1000n
    optional(4, '', ms && ms > U64_MAX ? null : ms)
    // Those codes that decide anything are named as their reasons are.
    words()[6] = stopReasons.findIndex((reason) => reason.toUpperCase().replaceAll('-', '_') === failure.code)
    return 8
  }

  const kernel: HeartbeatKernel = {
    heartbeat: (settings) => new Lease(settings),
    classify(operation, failure): Disposition {
      const event = putFailure(failure)
      const number = wasm.disposition(operation === 'create' ? 1 : 0, event)
      const reason = stopReasons[number]!
      return number > 9 ? { disposition: 'permanent', reason } : { disposition: number ? (reason as 'rejected') : 'transient' }
    },
  }
  return [kernel, Lease]
}
