/// <reference lib="esnext.disposable" preserve="true" />
// The driver: owns the timers, the measuring and the timeouts around one heartbeat. All decisions are the kernel's.

import { clockResolutionNs } from './clock.js'
import type { Decision, Disposition, Event, Failure, Heartbeat, Outcome, Send, Settings, StopReason, Success, Wait } from './types.js'

export { clockResolutionNs } from './clock.js'

const TIMER_MAX_MS = 2 ** 31 - 1
/** A step between the two clocks that no slewing explains between two wakes: the machine slept, or was set. */
const JUMP_MS = 100

/** An attempt to be sent. */
export interface Attempt extends Send {
  /** The same for attempts of the same `keyGeneration`, and no other's. */
  idempotencyKey: string
}

/** A failed attempt, and what it means. */
export interface FailureReport {
  attempt: Attempt
  failure: Failure
  disposition: Disposition
  /** What `send` threw. */
  error?: unknown
}

/** Why it stopped, and until when the lease is held all the same: ms on the clock of `now`. */
export interface Stopped {
  reason: StopReason
  fence: number | null
}

export interface KeepAliveOptions extends Pick<Settings, 'clockResolutionNs' | 'maxWaitMs' | 'fallback'> {
  /** What `load()` gave. */
  kernel: {
    heartbeat(settings: Settings): Heartbeat
    classify(operation: 'create' | 'extend', failure: Failure): Disposition
  }
  /**
   * Sends an attempt and says what became of it. What it throws is a lost connection, or a timeout once `signal` is
   * aborted; after that its result is dropped. The adapter in `leasebeat/cycles` makes one.
   */
  send(attempt: Attempt, signal: AbortSignal): Promise<Outcome>
  /** What each extension asks for, in ms: usually the TTL the lease was created with. */
  ttlMs: number
  /** How long one attempt may take until its failure is reported, in ms. The lease must exceed two of them and a margin. */
  timeoutMs: number
  /** When an attempt is aborted, in ms: below `timeoutMs`, which includes noticing it. By default three quarters of it. */
  giveUpMs?: number
  /** A reservation that you created yourself: what its answer said, and the clock's reading just before you sent it. */
  created?: Omit<Success, 'rtt'> & { sentAt: number }
  /** Closes it when aborted. */
  signal?: AbortSignal
  /** `warn` only says that the lease has lapsed; `cancel` aborts `KeepAlive.signal` too. */
  policy?: 'warn' | 'cancel'
  onDecision?(decision: Decision): void
  onFailure?(report: FailureReport): void
  /** Called where the kernel stops before it is closed, and where the lease lapses. By default `console.warn`. */
  onWarning?(message: string): void
  /** The idempotency key of a generation. By default a random UUID of this lease with the generation behind it. */
  idempotencyKey?(keyGeneration: number): string
  /** A monotonic clock in ms, and the wall's, whose jumps give away that the machine slept. */
  clock?: { now(): number; wall(): number }
}

/** The lease has lapsed: what `KeepAlive.signal` is aborted with. */
export class LeaseLapsedError extends Error {
  override readonly name = 'LeaseLapsedError'
}

/** Keeps a lease alive until it is closed or can no longer be kept. */
export function keepAlive(options: KeepAliveOptions): KeepAlive {
  return new KeepAlive(options)
}

export class KeepAlive {
  /** True with the first success; false where it stopped before. */
  readonly granted: Promise<boolean>
  /** How it ended. It never rejects. */
  readonly stopped: Promise<Stopped>

  readonly #options: KeepAliveOptions
  readonly #clock: { now(): number; wall(): number }
  readonly #guard = new AbortController()
  /** Ends the listening and what is in flight. */
  readonly #end = new AbortController()
  readonly #keys: (generation: number) => string
  #heartbeat: Heartbeat | null
  #resolveGranted!: (granted: boolean) => void
  #resolveStopped!: (stopped: Stopped) => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #fenceTimer: ReturnType<typeof setTimeout> | undefined
  #drift: number
  #lapsed = false
  #stop: StopReason | null = null
  #giveUp = (): void => {}

  constructor(options: KeepAliveOptions) {
    const { kernel, ttlMs, timeoutMs, giveUpMs = timeoutMs * 0.75, maxWaitMs, fallback, signal, created } = options
    if (!(giveUpMs > 0 && giveUpMs <= timeoutMs)) {
      throw new RangeError(`giveUpMs is ${giveUpMs}; it must be above 0 and at most timeoutMs, which is ${timeoutMs}`)
    }
    this.#options = { ...options, giveUpMs }
    this.#clock = options.clock ?? { now: () => performance.now(), wall: () => Date.now() }
    const settings: Settings = {
      extendByMs: ttlMs,
      requestTimeoutMs: timeoutMs,
      clockResolutionNs: options.clockResolutionNs ?? clockResolutionNs(this.#clock.now),
      ...(maxWaitMs === undefined ? {} : { maxWaitMs }),
      ...(fallback === undefined ? {} : { fallback }),
    }
    if (created) check(kernel.heartbeat(settings), created)
    this.#heartbeat = kernel.heartbeat(settings)
    this.granted = new Promise((resolve) => (this.#resolveGranted = resolve))
    this.stopped = new Promise((resolve) => (this.#resolveStopped = resolve))
    const id = options.idempotencyKey ? '' : crypto.randomUUID()
    this.#keys = options.idempotencyKey ?? ((generation) => `${id}-${generation}`)
    this.#drift = this.#clock.wall() - this.#clock.now()
    this.#listen()
    // Not before the caller has what this returns.
    queueMicrotask(() => {
      if (signal?.aborted) return this.close()
      signal?.addEventListener('abort', () => this.close(), { signal: this.#end.signal })
      this.#handle(created ? { ...created, type: 'created' } : { type: 'begin' }, created?.sentAt)
    })
  }

  /** Under the policy `cancel`: aborted when the lease has lapsed. Hand it to the work that the lease guards. */
  get signal(): AbortSignal {
    return this.#guard.signal
  }

  /** Until when the lease is provably held, in ms on the clock; null where nothing is proved. */
  get fence(): number | null {
    return this.#reading()?.fence ?? null
  }

  /** After this a failure ends it, in ms on the clock; null where the fence is. */
  get danger(): number | null {
    return this.#reading()?.danger ?? null
  }

  /** For how many whole ms the lease is provably held; 0 where nothing is proved. */
  get lead(): number {
    return this.#reading()?.lead(this.#clock.now()) ?? 0
  }

  /** Whether the lease is provably held for `ms` more: whether a step of the work still fits. */
  held(ms = 0): boolean {
    return this.#reading()?.isHeldFor(ms, this.#clock.now()) ?? false
  }

  /** Tells it that the machine slept or its clock jumped, where you know it better: the lease is extended at once. */
  timingLost(): void {
    if (this.#running) this.#handle({ type: 'timing-lost' })
  }

  /** The work is done: no further beat. What is in flight is aborted, and nothing is held from here on. */
  close(): void {
    const heartbeat = this.#heartbeat
    if (heartbeat && this.#running) this.#decide(heartbeat.handle({ type: 'close' }, this.#clock.now()))
    clearTimeout(this.#fenceTimer)
    // A callback may have closed it meanwhile: freed twice is freed once.
    heartbeat?.free()
    this.#heartbeat = null
  }

  get #running(): boolean {
    return this.#heartbeat !== null && this.#stop === null
  }

  /** The heartbeat, for a question: a sleep that nobody has reported yet is found here. */
  #reading(): Heartbeat | null {
    this.#findJump()
    return this.#heartbeat
  }

  /** Reports lost timing where the wall clock moved and ours did not, or the reverse. */
  #findJump(): Decision | null {
    const now = this.#clock.now()
    const drift = this.#clock.wall() - now
    const jumped = Math.abs(drift - this.#drift) > JUMP_MS
    this.#drift = drift
    if (!jumped || !this.#heartbeat) return null
    const decision = this.#heartbeat.handle({ type: 'timing-lost' }, now)
    // What is waited for is decided anew; in flight, the answer decides.
    if (this.#running && decision.action !== 'wait') this.#decide(decision)
    return decision
  }

  /** Hands over an event; a success with the round trip from `sent` to the very reading that it is handled with (T7). */
  #handle(event: Event, sent?: number): void {
    const jump = this.#findJump()
    if (!this.#running) return
    // A tick has been answered by the jump.
    if (event.type === 'tick' && jump && jump.action !== 'wait') return
    const now = this.#clock.now()
    const success = event.type === 'created' || event.type === 'extended'
    // A clock that went back has measured nothing.
    const rtt = sent === undefined || now < sent ? null : now - sent
    const decision = this.#heartbeat!.handle(success ? { ...event, rtt } : event, now)
    if (success) this.#resolveGranted(true)
    this.#decide(decision)
  }

  #decide(decision: Decision): void {
    clearTimeout(this.#timer)
    if (decision.action === 'stop') this.#finish(decision.reason)
    this.#watchFence()
    call(this.#options.onDecision, decision)
    // The callback may have closed it.
    if (!this.#running) return
    if (decision.action === 'send') void this.#attempt(decision)
    if (decision.action === 'wait') this.#wait(decision)
  }

  #wait({ waitMs }: Wait): void {
    if (waitMs === null) return
    this.#timer = setTimeout(() => this.#handle({ type: 'tick' }), Math.min(waitMs, TIMER_MAX_MS))
  }

  async #attempt(send: Send): Promise<void> {
    const attempt = { ...send, idempotencyKey: this.#keys(send.keyGeneration) }
    const controller = new AbortController()
    // One that the kernel has given up, as a late timer may find, is not in flight beside another.
    this.#giveUp()
    const abort = (this.#giveUp = () => controller.abort(new DOMException('the attempt took too long', 'TimeoutError')))
    const timer = setTimeout(abort, Math.min(this.#options.giveUpMs!, TIMER_MAX_MS))
    this.#end.signal.addEventListener('abort', abort, { signal: controller.signal })
    const aborted = new Promise<never>((_, reject) => {
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error))
    })
    const sent = this.#clock.now()
    let outcome: Outcome
    let error: unknown
    try {
      outcome = await Promise.race([this.#options.send(attempt, controller.signal), aborted])
    } catch (thrown) {
      error = thrown
      outcome = { type: 'failed', kind: controller.signal.aborted ? 'timeout' : 'connection' }
    }
    clearTimeout(timer)
    // Whatever still hangs on it is not wanted any more.
    abort()
    if (!this.#running || this.#heartbeat!.inFlight !== attempt.attempt) return
    try {
      this.#report(attempt, outcome, sent, error)
    } catch (thrown) {
      // What `send` gave is no outcome of this attempt: it proves nothing.
      this.#report(attempt, { type: 'failed', kind: 'ambiguous' }, sent, thrown)
    }
  }

  #report(attempt: Attempt, outcome: Outcome, sent: number, error?: unknown): void {
    if (outcome.type === 'failed') {
      const disposition = this.#options.kernel.classify(attempt.operation, outcome)
      call(this.#options.onFailure, { attempt, failure: outcome, disposition, ...(error === undefined ? {} : { error }) })
      if (!this.#running) return
    }
    this.#handle({ ...outcome, attempt: attempt.attempt }, sent)
  }

  #finish(reason: StopReason): void {
    this.#stop = reason
    this.#resolveGranted(false)
    const fence = this.#heartbeat!.fence
    this.#resolveStopped({ reason, fence })
    this.#end.abort()
    if (reason === 'closed') return
    const until = fence === null ? 'nothing says that it is still held' : `it is held for ${Math.floor(fence - this.#clock.now())} ms more`
    this.#warn(`leasebeat: the lease is no longer extended (${reason}); ${until}`)
    if (fence === null) this.#lapse()
  }

  /** Sees to it that a lease that lapses is noticed. */
  #watchFence(): void {
    clearTimeout(this.#fenceTimer)
    const fence = this.#heartbeat?.fence ?? null
    if (fence === null || this.#stop === 'closed' || this.#lapsed) return
    const left = fence - this.#clock.now()
    if (left <= 0) return this.#lapse()
    this.#fenceTimer = setTimeout(() => {
      this.#findJump()
      this.#watchFence()
    }, Math.min(Math.ceil(left), TIMER_MAX_MS))
  }

  #lapse(): void {
    if (this.#lapsed) return
    this.#lapsed = true
    const what = 'leasebeat: the lease is no longer provably held'
    this.#warn(what)
    if (this.#options.policy === 'cancel') this.#guard.abort(new LeaseLapsedError(what))
  }

  #warn(message: string): void {
    call(this.#options.onWarning ?? ((text) => console.warn(text)), message)
  }

  /** A page that was frozen or in the back/forward cache has lost its timing; one that is visible again may be late. */
  #listen(): void {
    const { signal } = this.#end
    const page = globalThis as Partial<Pick<typeof globalThis, 'document' | 'addEventListener'>>
    page.document?.addEventListener('resume', () => this.timingLost(), { signal })
    page.document?.addEventListener('visibilitychange', () => this.#handle({ type: 'tick' }), { signal })
    page.addEventListener?.('pageshow', (event) => event.persisted && this.timingLost(), { signal })
  }
}

export interface KeepAlive {
  /** As `close`, for `using`. Where the engine has no `Symbol.dispose`, it is not there. */
  [Symbol.dispose](): void
}
if (Symbol.dispose) KeepAlive.prototype[Symbol.dispose] = KeepAlive.prototype.close

/** Says now what is out of range in an answer that is taken in later. */
function check(heartbeat: Heartbeat, created: NonNullable<KeepAliveOptions['created']>): void {
  try {
    const { sentAt } = created
    if (!(sentAt >= 0 && sentAt < Infinity)) {
      throw new RangeError(`created.sentAt is ${sentAt}; it must be a reading of the clock, 0 or more`)
    }
    heartbeat.handle({ ...created, type: 'created', rtt: null }, sentAt)
  } finally {
    heartbeat.free()
  }
}

/** A host's callback: what it throws is the host's, and stops no lease. */
function call<T>(callback: ((value: T) => void) | undefined, value: T): void {
  try {
    callback?.(value)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
