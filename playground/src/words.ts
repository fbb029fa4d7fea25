// Everything that is said in words, but for what the kernel says itself.

import type { Decision, Event, Failure } from 'leasebeat'
import type { Forecast } from './plan.js'
import { held, proved, type Run, type Span, type Step } from './record.js'
import type { Setup } from './setup.js'

/** A length of time: `80 ms`, `9.5 s`, `4 min`, `1 h 5 min`. */
export function length(ms: number): string {
  if (ms < 1_000) return `${trim(ms, 1)} ms`
  if (ms < 60_000) return `${trim(ms / 1_000, 2)} s`
  if (ms < 3_600_000) {
    const [minutes, seconds] = [Math.floor(ms / 60_000), trim((ms % 60_000) / 1_000, 1)]
    return seconds === '0' ? `${minutes} min` : `${minutes} min ${seconds} s`
  }
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor((ms % 3_600_000) / 60_000)]
  return minutes ? `${hours} h ${minutes} min` : `${hours} h`
}

function trim(value: number, digits: number): string {
  // Down: what is shown of a lead is never more than there is.
  const scale = 10 ** digits
  return String(Math.floor(value * scale + 1e-9) / scale)
}

/** An instant of the run: `1:20.08`. */
export function instant(ms: number): string {
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor((ms % 3_600_000) / 60_000)]
  const seconds = (Math.floor((ms % 60_000) / 10) / 100).toFixed(2).padStart(5, '0')
  return hours ? `${hours}:${String(minutes).padStart(2, '0')}:${seconds}` : `${minutes}:${seconds}`
}

/** What an event was, in a line. */
export function happened(event: Event): string {
  const number = 'attempt' in event && event.attempt != null ? `#${event.attempt} ` : ''
  switch (event.type) {
    case 'begin':
      return 'begin'
    case 'tick':
      return 'timer'
    case 'timing-lost':
      return 'woke up: timing lost'
    case 'close':
      return 'the work is done'
    case 'denied':
      return `${number}denied`
    case 'created':
    case 'extended': {
      const { remainingTtlMs: remaining, rtt } = event
      const says = remaining == null ? 'what remains is not said' : `${remaining} ms remain`
      return `${number}${event.type}: ${says}, round trip ${rtt == null ? 'unknown' : length(typeof rtt === 'bigint' ? Number(rtt) / 1e6 : rtt)}`
    }
    case 'failed':
      return `${number}failed: ${failed(event)}`
  }
}

function failed(failure: Failure): string {
  if (failure.kind !== 'http') return { timeout: 'no answer in time', connection: 'connection lost', ambiguous: 'malformed answer' }[failure.kind]
  const { status, code, retryAfter } = failure
  return `HTTP ${status}${code ? ` ${code}` : ''}${retryAfter == null ? '' : `, Retry-After ${retryAfter}`}`
}

/** A decision in a few words. */
export function decided(decision: Decision): string {
  switch (decision.action) {
    case 'send':
      return `send ${decision.operation} #${decision.attempt}, ${decision.key} key`
    case 'wait':
      return decision.waitMs == null ? 'wait for the next event' : `wait ${length(decision.waitMs)}`
    case 'stop':
      return `stop: ${decision.reason}`
  }
}

export interface Verdict {
  /** How it ended, so that it can be told by more than its colour. */
  mood: 'kept' | 'stopped' | 'lapsed'
  title: string
  detail: string
}

/** What became of a simulated lease: what the host believed, and what was true. */
export function verdict(run: Run, { work, says }: Setup): Verdict {
  const last = run.steps.at(-1)
  const stop = last?.decision?.action === 'stop' ? last : undefined
  const [believed, true_] = [proved(run).at(-1), held(run)]
  const gap = firstGap(true_, work)
  if (run.cut) return { mood: 'stopped', title: 'Too many decisions to draw', detail: `${run.cut} Let the work last less long.` }
  if (stop && hasStopped(run)) return stopped(stop, gap, believed, work, says)
  if (gap == null || gap >= work) {
    return { mood: 'kept', title: `Kept for ${length(work)}`, detail: kept(run) }
  }
  const detail = `The work went on until ${instant(work)}. ${belief(believed, gap, says)}`
  return { mood: 'lapsed', title: `Lapsed at ${instant(gap)}`, detail }
}

function stopped(stop: Step, gap: number | null, believed: Span | undefined, work: number, says: boolean): Verdict {
  const remedy = stop.why?.remedy ? ` ${capital(stop.why.remedy)}.` : ''
  const why = `the kernel stopped at ${instant(stop.at)} (${reason(stop)})`
  if (gap == null) return { mood: 'stopped', title: `Never held: ${reason(stop)}`, detail: `${capital(why)}.${remedy}` }
  if (gap >= work) return { mood: 'stopped', title: `Stopped at ${instant(stop.at)}: ${reason(stop)}`, detail: `The lease outlasts the work all the same.${remedy}` }
  const title = gap < stop.at ? `Lapsed at ${instant(gap)}, noticed at ${instant(stop.at)}` : `Stopped at ${instant(stop.at)}, lapses at ${instant(gap)}`
  return { mood: 'lapsed', title, detail: `${capital(why)}. ${belief(believed, gap, says)}${remedy}` }
}

/** What the host believed of a lease that ended at `gap`. */
function belief(believed: Span | undefined, gap: number, says: boolean): string {
  if (!says) return 'The server does not say what remains, so nothing was ever proved.'
  if (!believed) return 'Nothing was proved.'
  return `It was provably held until ${instant(believed.until)}, and truly until ${instant(gap)}.`
}

function kept({ steps }: Run): string {
  const sends = steps.flatMap(({ decision }) => (decision?.action === 'send' ? [decision] : []))
  const extensions = steps.filter(({ event }) => event.type === 'extended').length
  const retries = sends.filter(({ key }) => key === 'same').length
  const leads = steps.filter(({ event, fence }) => fence != null && event.type !== 'begin').map(({ lead }) => lead)
  const least = leads.length ? `; the proved lead never fell below ${length(Math.min(...leads))}` : '; nothing was ever proved'
  return `${count(extensions, 'extension')}, ${count(retries, 'retry', 'retries')}${least}.`
}

/** When the lease first ended, if it ever began. */
function firstGap(spans: Span[], work: number): number | null {
  return spans[0] ? (spans[0].until < work ? spans[0].until : work) : null
}

function reason({ decision }: Step): string | null {
  return decision?.action === 'stop' ? decision.reason : null
}

/** Whether the kernel stopped before it was told to. */
export function hasStopped({ steps }: Run): boolean {
  const last = steps.at(-1)
  return last?.decision?.action === 'stop' && last.decision.reason !== 'closed'
}

/** What a recorded trace comes to. */
export function summary({ steps, cut }: Run): string {
  const count_ = (action: string) => steps.filter(({ decision }) => decision?.action === action).length
  const misuses = steps.filter(({ decision }) => decision == null).length
  const last = steps.at(-1)
  const end = last && reason(last) ? ` It ends with ${reason(last)}.` : ''
  const errors = misuses ? `, ${count(misuses, 'event')} that could not happen` : ''
  return `${count(steps.length, 'event')}: ${count(count_('send'), 'send')}, ${count(count_('wait'), 'wait')}, ${count(count_('stop'), 'stop')}${errors}.${end}${cut ? ` ${cut}` : ''}`
}

/** What the dead zone is to this setup. */
export function zone({ isDead, safeTimeout, leadMs, plan }: Forecast, { says, slowest }: Setup): string {
  if (!says) return 'Nothing is provable: the server does not say what remains. The kernel beats by what each extension grants.'
  const safe = safeTimeout == null ? 'No timeout is safe for this lease and round trip' : `Largest safe timeout: ${exact(safeTimeout)}, at round trips up to ${exact(slowest)}`
  if (!isDead) return `${safe}.`
  return `Dead zone: this timeout reserves ${exact(plan.retryReserveMs ?? 0)}, and a slow answer leaves ${exact(leadMs)}. ${safe}.`
}

/** Milliseconds to the last one. */
export function exact(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${ms / 1_000} s`
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
