// The trace format `leasebeat/1`: a host's log replayed, and each decision as a line, byte for byte as
// `leasebeat replay` prints it. The project's docs/RULES.md fixes the format.

import { outOfRange } from './core.js'
import { MisuseError } from './misuse.js'
import type { Count, Decision, Event, Heartbeat, Settings } from './types.js'

/** One event of a trace, decided. */
export interface Step<H extends Heartbeat = Heartbeat> {
  /** The line it stands on, from 1. */
  line: number
  /** When it happened, in ns. */
  at: bigint
  event: Event
  /** Null where the event was a misuse. */
  decision: Decision | null
  /** The decision, or the misuse, as the format prints it. */
  text: string
  /** The heartbeat as it is after the event, to be asked until the next step. */
  heartbeat: H
}

/** A trace that cannot be replayed further. */
export class TraceError extends Error {
  override readonly name = 'TraceError'
  /** From 1. */
  readonly line: number
  /** What the format prints in place of the decisions, where it prints anything: the configuration is invalid. */
  readonly text: string | null

  constructor(line: number, what: string, text: string | null = null) {
    super(`line ${line}: ${what}`)
    this.line = line
    this.text = text
  }
}

/**
 * Replays a trace, event by event. The heartbeat is freed when the iteration ends.
 *
 * @throws TraceError where a line is not what the format says. The steps before it stand.
 */
export function* replay<H extends Heartbeat>(
  kernel: { heartbeat(settings: Settings): H },
  trace: string,
): Generator<Step<H>, void, undefined> {
  let heartbeat: H | undefined
  let settings: Settings | undefined
  try {
    for (const [index, text] of trace.split('\n').entries()) {
      if (/^[ \t\r]*$/.test(text)) continue
      const line = index + 1
      const object = parse(line, text)
      if (!heartbeat) {
        settings = header(line, object)
        heartbeat = create(kernel, line, settings)
        continue
      }
      const { at, event } = eventOf(line, object)
      let decision: Decision | null = null
      let printed: string
      try {
        decision = heartbeat.handle(event, at)
        printed = format(decision, settings?.requestTimeoutMs)
      } catch (error) {
        if (!(error instanceof MisuseError)) throw new TraceError(line, inFormat(error))
        printed = `{"error":"${error.code}"}`
      }
      yield { line, at, event, decision, text: printed, heartbeat }
    }
    if (!heartbeat) throw new TraceError(1, 'the trace is empty; expected a header')
  } finally {
    heartbeat?.free()
  }
}

/** A decision as a line of the format. `timeoutMs` is exact where the decision's own is rounded. */
export function format(decision: Decision, timeoutMs?: Count | null): string {
  switch (decision.action) {
    case 'send': {
      const { operation, key, attempt } = decision
      const timeout = timeoutMs === undefined ? decision.timeoutMs : timeoutMs
      return `{"do":"send","op":"${operation}","key":"${key}","attempt":${attempt},"timeout_ms":${timeout}}`
    }
    case 'wait':
      return `{"do":"wait","ms":${decision.waitMs}}`
    case 'stop':
      return `{"do":"stop","reason":"${decision.reason}"}`
  }
}

type Json = Record<string, unknown>

/** A JSON object whose whole numbers above 2^53 are BigInts. */
function parse(line: number, text: string): Json {
  // Strings are stepped over; a whole number that a number cannot hold is kept as a marked string.
  const kept = text.replace(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g, (token) =>
    /^\d{16,}$/.test(token) ? `"\\u0000${token}"` : token,
  )
  let value: unknown
  try {
    value = JSON.parse(kept, (_, value: unknown) =>
      typeof value === 'string' && value.startsWith('\0') ? BigInt(value.slice(1)) : value,
    )
  } catch (error) {
    throw new TraceError(line, (error as Error).message)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TraceError(line, 'expected an object')
  return value as Json
}

function only(line: number, object: Json, keys: readonly string[]): void {
  const unknown = Object.keys(object).find((key) => !keys.includes(key))
  if (unknown !== undefined) throw new TraceError(line, `unknown key "${unknown}"; expected ${keys.join(', ')}`)
}

function header(line: number, object: Json): Settings {
  only(line, object, ['trace', 'note', 'config'])
  if (object.trace !== 'leasebeat/1') throw new TraceError(line, `trace is ${String(object.trace)}; expected "leasebeat/1"`)
  const config = object.config as Json | undefined
  if (typeof config !== 'object' || config === null) throw new TraceError(line, 'config is missing')
  only(line, config, ['extend_by_ms', 'request_timeout_ms', 'clock_resolution_ns', 'max_wait_ms', 'fallback'])
  // The format's default is no bound on a wait.
  return {
    extendByMs: config.extend_by_ms as number,
    requestTimeoutMs: config.request_timeout_ms as Count | null,
    clockResolutionNs: (config.clock_resolution_ns ?? 0) as number,
    maxWaitMs: (config.max_wait_ms ?? null) as Count | null,
    fallback: (config.fallback ?? 'band') as 'band',
  }
}

function create<H>(kernel: { heartbeat(settings: Settings): H }, line: number, settings: Settings): H {
  try {
    return kernel.heartbeat(settings)
  } catch (error) {
    const what = inFormat(error)
    throw new TraceError(line, what, `{"error":"invalid-config","message":${JSON.stringify(what)}}`)
  }
}

/** An error of the kernel's with its field named as the format names it. */
function inFormat(error: unknown): string {
  const names: Record<string, string> = { now: 'at', rtt: 'rtt_ns', type: 'in' }
  const format = (field: string) => names[field] ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return (error as Error).message.replace(/^\w+(?= is )/, format)
}

const REPORT = ['at', 'in', 'attempt']
const SUCCESS = [...REPORT, 'rtt_ns', 'remaining_ttl_ms', 'expires_at_ms']

function eventOf(line: number, object: Json): { at: bigint; event: Event } {
  try {
    return { at: BigInt(whole('at', object.at)), event: typed(line, object) }
  } catch (error) {
    throw error instanceof TraceError ? error : new TraceError(line, (error as Error).message)
  }
}

function typed(line: number, object: Json): Event {
  const attempt = (object.attempt ?? null) as number | null
  const type = object.in
  switch (type) {
    case 'begin':
    case 'tick':
    case 'timing-lost':
    case 'close':
      only(line, object, ['at', 'in'])
      return { type }
    case 'denied':
      only(line, object, REPORT)
      return { type, attempt }
    case 'created':
    case 'extended':
      only(line, object, SUCCESS)
      return {
        type,
        attempt,
        // In nanoseconds: so a BigInt.
        rtt: object.rtt_ns == null ? null : BigInt(whole('rtt_ns', object.rtt_ns)),
        remainingTtlMs: object.remaining_ttl_ms as Count | null,
        expiresAtMs: object.expires_at_ms as Count | null,
      }
    case 'failed': {
      const kind = object.kind as 'http'
      only(line, object, kind === 'http' ? [...REPORT, 'kind', 'status', 'code', 'retry_after'] : [...REPORT, 'kind'])
      if (kind !== 'http') return { type, attempt, kind }
      const { status, code, retry_after } = object as { status: number; code?: string; retry_after?: string }
      return { type, attempt, kind, status, code: code ?? null, retryAfter: retry_after ?? null }
    }
    default:
      throw outOfRange('in', type, 'the name of an event')
  }
}

function whole(field: string, value: unknown): number | bigint {
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) return value as number
  throw outOfRange(field, value, 'a whole number')
}
