// A host, a network and a server in virtual time around the real kernel. Whole milliseconds; the same setup gives the
// same run.

import type { Event, Kernel, Outcome, Send } from 'leasebeat'
import { format } from 'leasebeat/trace'
import { kinds, type Fault } from './faults.js'
import { roundTrip } from './random.js'
import { known, STEPS_MAX, type Met, type Run, type Step } from './record.js'
import { Server, type Answer } from './server.js'
import type { Setup } from './setup.js'

/** The first instant on the server's clock. */
export const EPOCH_MS = 1_785_585_600_000
/** The host gives an attempt up at this part of the timeout, as the package's driver does: noticing takes time too. */
const GIVE_UP = 0.75

export function simulate(kernel: Kernel, setup: Setup): Run {
  const simulation = new Simulation(kernel, setup)
  try {
    return simulation.run()
  } finally {
    simulation.heartbeat.free()
  }
}

interface Due {
  at: number
  order: number
  act: (at: number) => void
}

class Simulation {
  readonly heartbeat
  readonly #setup: Setup
  readonly #server: Server
  readonly #steps: Step[] = []
  readonly #struck = new Map<Fault, number>()
  readonly #strikes: Fault[]
  readonly #sleeps: Fault[]
  readonly #partitions: Fault[]
  #queue: Due[] = []
  #order = 0
  /** How long the host's clock has stood still. */
  #slept = 0
  /** What the last wait was: an older timer is none. */
  #timer = 0
  #stopped = false
  #cut: string | null = null

  constructor(kernel: Kernel, setup: Setup) {
    this.#setup = setup
    this.#server = new Server(setup)
    const faults = [...setup.faults].sort((a, b) => a.at - b.at)
    this.#strikes = faults.filter(({ kind }) => !kinds[kind].lasts)
    this.#sleeps = apart(faults.filter(({ kind }) => kind === 'suspend'))
    this.#partitions = faults.filter(({ kind }) => kind === 'partition')
    this.heartbeat = kernel.heartbeat({ extendByMs: setup.ttl, requestTimeoutMs: setup.timeout })
  }

  run(): Run {
    const { work, faults } = this.#setup
    this.#host(0, (at) => this.#handle({ type: 'begin' }, at))
    this.#host(work, (at) => this.#handle({ type: 'close' }, at))
    for (const { at, amount } of this.#sleeps) this.#at(at + amount, (now) => this.#wake(now, amount))
    for (let due = this.#next(); due; due = this.#next()) due.act(due.at)
    const met = (fault: Fault): Met => ({ fault, struck: this.#struck.get(fault) ?? null })
    const until = Math.max(work, this.#steps.at(-1)?.at ?? 0)
    return { steps: this.#steps, until, truth: this.#server.truth, faults: faults.map(met), cut: this.#cut }
  }

  #at(at: number, act: Due['act']): void {
    this.#queue.push({ at, order: this.#order++, act })
  }

  #next(): Due | undefined {
    this.#queue.sort((a, b) => a.at - b.at || a.order - b.order)
    return this.#queue.shift()
  }

  /** Something the host does: where it sleeps then, it does so when it wakes. */
  #host(at: number, act: Due['act']): void {
    this.#at(at, (now) => {
      const sleep = this.#sleeps.find((sleep) => sleep.at <= now && now < sleep.at + sleep.amount)
      if (sleep) this.#at(sleep.at + sleep.amount, act)
      else act(now)
    })
  }

  #wake(at: number, slept: number): void {
    this.#slept += slept
    if (this.#steps.length > 0) this.#handle({ type: 'timing-lost' }, at)
  }

  #handle(event: Event, at: number): void {
    if (this.#stopped) return
    const now = at - this.#slept
    const decision = this.heartbeat.handle(event, now)
    const step = { line: null, at, clock: now, event, decision, text: format(decision), why: this.heartbeat.explain() }
    this.#steps.push({ ...step, ...known(this.heartbeat, now, this.#slept) })
    const timer = ++this.#timer
    if (decision.action === 'send') this.#send(decision, at)
    this.#stopped = decision.action === 'stop' || this.#isTooLong(at)
    const wait = this.heartbeat.nextDeadline
    if (wait != null) {
      this.#host(Math.ceil(wait) + this.#slept, (now) => timer === this.#timer && this.#handle({ type: 'tick' }, now))
    }
  }

  #isTooLong(at: number): boolean {
    if (this.#steps.length < STEPS_MAX || at >= this.#setup.work) return false
    this.#cut = `Cut after ${STEPS_MAX} decisions.`
    this.#queue = []
    return true
  }

  /** One attempt on its way: to the server, back, and given up. */
  #send(send: Send, sent: number): void {
    const { rtt, slowest, seed, timeout } = this.#setup
    const fault = this.#strike(sent)
    const spike = fault?.kind === 'spike' ? fault.amount : 0
    const trip = roundTrip(seed, send.attempt, rtt, slowest) + spike
    const arrives = sent + Math.floor(trip / 2)
    const answered = sent + trip
    const departed = sent - this.#slept
    const report = (outcome: Outcome) => (at: number) => {
      if (this.heartbeat.inFlight === send.attempt) this.#handle({ ...outcome, attempt: send.attempt }, at)
    }
    // Whatever comes after that finds nobody waiting for it.
    this.#host(sent + Math.max(1, Math.floor(timeout * GIVE_UP)), report({ type: 'failed', kind: 'timeout' }))
    if (fault?.kind === 'lost-request' || this.#isCut(sent, arrives)) return
    this.#at(arrives, () => {
      const outcome = this.#reply(send, fault, arrives, departed)
      if (fault?.kind === 'lost-response' || this.#isCut(arrives, answered)) return
      this.#host(answered, (at) => report(outcome(at))(at))
    })
  }

  /** What the server makes of an attempt, as the host will report it once the answer is there. */
  #reply(send: Send, fault: Fault | null, at: number, departed: number): (received: number) => Outcome {
    if (fault?.kind === '503') return () => ({ type: 'failed', kind: 'http', status: 503, code: null, retryAfter: null })
    if (fault?.kind === '429') {
      const retryAfter = String(Math.ceil(fault.amount / 1_000))
      return () => ({ type: 'failed', kind: 'http', status: 429, code: 'LIMIT_EXCEEDED', retryAfter })
    }
    const create = send.operation === 'create'
    const answer: Answer = create ? this.#server.create(at, send.keyGeneration) : this.#server.extend(at, send.keyGeneration)
    if (answer.status !== 200) {
      const { status, code } = answer
      return () => ({ type: 'failed', kind: 'http', status, code, retryAfter: null })
    }
    const success = { remainingTtlMs: answer.remaining, expiresAtMs: EPOCH_MS + answer.expiresAt }
    return (received) => {
      // By the host's own clock, which may have stood still in between.
      const rtt = received - this.#slept - departed
      return { type: create ? 'created' : 'extended', rtt, ...success }
    }
  }

  /** The fault that strikes an attempt sent now. */
  #strike(sent: number): Fault | null {
    if (this.#strikes[0] === undefined || this.#strikes[0].at > sent) return null
    const fault = this.#strikes.shift()!
    this.#struck.set(fault, sent)
    return fault
  }

  /** Whether the network is parted somewhere on the way. */
  #isCut(from: number, until: number): boolean {
    return this.#partitions.some(({ at, amount }) => from < at + amount && until > at)
  }
}

/** Sleeps that overlap are one. */
function apart(sleeps: Fault[]): Fault[] {
  const result: Fault[] = []
  for (const sleep of sleeps) {
    const last = result.at(-1)
    if (last && sleep.at <= last.at + last.amount) last.amount = Math.max(last.amount, sleep.at + sleep.amount - last.at)
    else result.push({ ...sleep })
  }
  return result
}
