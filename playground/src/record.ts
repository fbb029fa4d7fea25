// A run as it is drawn and listed, be it simulated or recorded.

import type { Decision, Event, Explanation, ExplainingHeartbeat } from 'leasebeat'
import type { Fault } from './faults.js'
import type { Truth } from './server.js'

/** One event, and what the kernel decided on it. Times are in ms from the run's first instant. */
export interface Step {
  /** Of a recorded trace: the line it stands on, from 1. */
  line: number | null
  at: number
  /** The same instant on the host's own clock, which may have stood still. */
  clock: number
  event: Event
  /** Null where the event was a misuse. */
  decision: Decision | null
  /** The decision as the trace format prints it. */
  text: string
  why: Explanation | null
  /** Until when the lease is provably held from this step on, and when a failure becomes final (V1, V2). */
  fence: number | null
  danger: number | null
  /** The proved lead (V3). */
  lead: number
}

/** A fault that was met, or not. */
export interface Met {
  fault: Fault
  /** When the attempt was sent that it struck; null where there was none. */
  struck: number | null
}

export interface Run {
  steps: Step[]
  /** Where the picture ends. */
  until: number
  /** Each expiry on the server, where it is known. */
  truth: Truth[] | null
  faults: Met[]
  /** Why there is no more of it, where there should be. */
  cut: string | null
}

/** No more decisions are drawn. */
export const STEPS_MAX = 1_500

/** What the heartbeat knows after a decision; `offset` puts its clock on the run's. */
export function known(heartbeat: ExplainingHeartbeat, now: number | bigint, offset: number) {
  const { fence, danger } = heartbeat
  return {
    fence: fence == null ? null : fence + offset,
    danger: danger == null ? null : danger + offset,
    lead: heartbeat.lead(now),
  }
}

/** Whether all that the run ever proved was the dead zone: no lead exceeded the reserve (P5). */
export function isDead({ steps }: Run): boolean {
  const numbers = steps.flatMap(({ why }) => (why?.numbers?.path === 'primary' ? [why.numbers] : []))
  const isIn = numbers.every(({ leadMs, retryReserveMs }) => retryReserveMs == null || leadMs <= retryReserveMs)
  return isIn && steps.some(({ why }) => why?.rule === 'P5')
}

/** A time from `from` up to `until`. */
export interface Span {
  from: number
  until: number
}

/** When the lease was provably held. */
export function proved({ steps, until }: Run): Span[] {
  return joined(steps.map(({ at, fence }, index) => ({ from: at, until: Math.min(fence ?? at, steps[index + 1]?.at ?? until, until) })))
}

/** When the lease was truly held. */
export function held({ truth, until }: Run): Span[] {
  return joined(
    (truth ?? []).map(({ at, expires }, index) => ({ from: at, until: Math.min(expires, truth![index + 1]?.at ?? until, until) })),
  )
}

function joined(spans: Span[]): Span[] {
  const result: Span[] = []
  for (const { from, until } of spans) {
    if (until <= from) continue
    const last = result.at(-1)
    if (last && last.until >= from) last.until = Math.max(last.until, until)
    else result.push({ from, until })
  }
  return result
}
