// A recorded trace as a run, and a run as a trace.

import type { Event, Kernel } from 'leasebeat'
import { replay, TraceError, type Step as Replayed } from 'leasebeat/trace'
import { known, STEPS_MAX, type Run, type Step } from './record.js'
import type { Setup } from './setup.js'

const NS_PER_MS = 1_000_000n

export interface Traced {
  run: Run
  /** What ended the replay, and where. */
  error: { line: number; what: string } | null
}

/** Replays a trace. What stands before a bad line is shown; the line is named. */
export function traced(kernel: Kernel, text: string): Traced {
  const steps: Step[] = []
  const run: Run = { steps, until: 1, truth: null, faults: [], cut: null }
  let origin: bigint | null = null
  let error: Traced['error'] = null
  try {
    for (const step of replay(kernel, text)) {
      if (steps.length >= STEPS_MAX) {
        run.cut = `Only the first ${STEPS_MAX} decisions are shown.`
        break
      }
      // What the traces of big numbers count from would not fit into a picture's numbers.
      origin ??= step.at
      steps.push(drawn(step, origin))
    }
  } catch (thrown) {
    if (!(thrown instanceof TraceError)) throw thrown
    error = { line: thrown.line, what: inTheFormat(thrown.message.replace(/^line \d+: /, '')) }
  }
  run.until = Math.max(1, ...steps.map(({ at, fence }) => Math.max(at, fenceShown(at, fence))))
  return { run, error }
}

/** A fence that is years away is not waited for. */
function fenceShown(at: number, fence: number | null): number {
  return fence != null && fence - at < 3_600_000 ? fence : at
}

function drawn({ line, at, event, decision, text, heartbeat }: Replayed<ReturnType<Kernel['heartbeat']>>, origin: bigint): Step {
  const why = decision && heartbeat.explain()
  const since = ms(at - origin)
  return { line, at: since, clock: since, event, decision, text, why, ...known(heartbeat, at, -ms(origin)) }
}

function ms(ns: bigint): number {
  return Number(ns / NS_PER_MS) + Number(ns % NS_PER_MS) / 1e6
}

/** A simulated run as a host would have recorded it: what `leasebeat replay` reads. */
export function recorded({ steps }: Run, { ttl, timeout }: Setup): string {
  const header = { trace: 'leasebeat/1', note: 'from the playground', config: { extend_by_ms: ttl, request_timeout_ms: timeout, max_wait_ms: 2 ** 31 - 1 } }
  return [header, ...steps.map(({ clock, event }) => ({ at: clock * 1e6, ...fields(event) }))].map((line) => JSON.stringify(line)).join('\n') + '\n'
}

function fields(event: Event): object {
  switch (event.type) {
    case 'created':
    case 'extended': {
      const { rtt, remainingTtlMs, expiresAtMs, attempt } = event
      return { in: event.type, rtt_ns: rtt == null ? null : Number(rtt) * 1e6, remaining_ttl_ms: remainingTtlMs, expires_at_ms: expiresAtMs, attempt }
    }
    case 'failed': {
      const { attempt, kind } = event
      if (kind !== 'http') return { in: 'failed', kind, attempt }
      return { in: 'failed', kind, status: event.status, code: event.code, retry_after: event.retryAfter, attempt }
    }
    default:
      return { in: event.type }
  }
}

/** A message that begins with a field of the package's, with the format's name for it: `remaining_ttl_ms`. */
function inTheFormat(what: string): string {
  return what.replace(/^[a-z]+(?:[A-Z][a-z]+)+(?= is )/, (field) => field.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`))
}
