import { count, low, optionalCount, outOfRange, small } from './check.js'
import { Core } from './core.js'
import { Heartbeat, HeartbeatKernel } from './heartbeat.js'
import { errorCodes, rules } from './names.js'
import type { Count, ErrorCode, Outcome, Rule, Settings } from './types.js'
import type { InitOutput } from './wasm/full.js'

/** Why the last decision was made. */
export interface Explanation {
  /** The decision as a line for a log. */
  decision: string
  rule: Rule
  /** What the rule says, the numbers it decided by, and the remedy, as one sentence. */
  text: string
  /** What the owner of the host can do about a stop or a zero delay, where anything can be done. */
  remedy: string | null
  numbers: PrimaryNumbers | FallbackNumbers | null
}

/** The server says what remains (P, R). Milliseconds; null is unbounded. Above 2^53 they are rounded. */
export interface PrimaryNumbers {
  path: 'primary'
  leadMs: number
  attemptBudgetMs: number | null
  safetyMarginMs: number
  retryReserveMs: number | null
  /** `leadMs - attemptBudgetMs - safetyMarginMs`; null is unboundedly negative. */
  windowMs: number | null
}

/** The server does not (F). */
export interface FallbackNumbers {
  path: 'fallback'
  /** The last measured grant; 0 where it was not measured or not positive. */
  grantMs: number
  /** Whether the server was found to clamp. */
  clamped: boolean
}

/** What a timeout, a lead and a round trip come to. Milliseconds; above 2^53 they are rounded. */
export interface Plan {
  /** How long one attempt may take until its failure is known; null: unbounded (P3). */
  attemptBudgetMs: number | null
  /** What timers and the network may steal besides (P3). */
  safetyMarginMs: number
  /** Two attempts and the margin; null: unbounded (P3). */
  retryReserveMs: number | null
  /** How long after an answer the next beat follows; null is the dead zone (P4, P5). */
  delayMs: number | null
  /** The largest request timeout that leaves a delay; null where the round trip alone forbids it. */
  largestTimeoutMs: number | null
  /** The shortest lead that leaves a delay with this timeout; null: none does. */
  shortestLeadMs: number | null
}

/** What a raw answer says. */
export interface Decoded {
  /** To be reported to the kernel, with the round trip and the attempt added. */
  outcome: Outcome
  /** The reservation that a create was granted. */
  reservationId: string | null
  /** The Retry-After of a 429, where it is valid. */
  retryAfterMs: Count | null
  /** The first thing that is wrong with the answer: why it proves nothing, or why a refusal has no code. */
  problem: Problem | null
}

export interface Problem {
  wrong: string
  /** Where in the body, as a JSON pointer; null where it is not the body that is wrong. */
  pointer: string | null
  /** The body's byte. */
  offset: number | null
}

/** A raw HTTP answer. */
export interface Answer {
  status: number
  /** The raw `Retry-After` header. */
  retryAfter?: string | null
  /** The body: its bytes, or its text. */
  body: Uint8Array | string
}

export interface DecodeOptions {
  /** A key that the schema does not name makes the body invalid, or is skipped (W6). */
  unknownKeys?: 'reject' | 'ignore'
}

/** A {@link Heartbeat} that explains itself. */
export class ExplainingHeartbeat extends Heartbeat {
  declare protected readonly core: FullCore

  /** Why the last decision was made. Nothing of it is computed before. */
  explain(): Explanation {
    const { core } = this
    core.buffer(TEXT_MAX)
    const packed = core.wasm.explain(this.lease)
    const [decision, text, remedy] = [core.text(0), core.text(2), core.text(4)]
    const word = (index: number) => core.out[index]!
    const numbers = [
      null,
      {
        path: 'primary' as const,
        leadMs: word(6),
        attemptBudgetMs: orNull(word(7)),
        safetyMarginMs: word(8),
        retryReserveMs: orNull(word(9)),
        windowMs: Number.isNaN(word(10)) ? null : word(10),
      },
      { path: 'fallback' as const, grantMs: word(6), clamped: word(7) !== 0 },
    ][packed & 3]!
    return { decision: decision!, rule: rules[packed >>> 2]!, text: text!, remedy, numbers }
  }
}

const TEXT_MAX = 2048
const encoder = new TextEncoder()
const decoder = new TextDecoder()

export class FullCore extends Core<InitOutput> {
  /** The text whose place is in two words of `out`. */
  text(index: number): string | null {
    const [start, length] = [this.out[index]!, this.out[index + 1]!]
    if (start < 0) return null
    const from = (this.wasm.buffer(0) >>> 0) + start
    return decoder.decode(this.bytes.subarray(from, from + length))
  }

  /** The 64-bit number in two words of `out`. */
  whole(index: number): Count | null {
    const [high, rest] = [this.out[index]!, this.out[index + 1]!]
    if (high < 0) return null
    return high + rest <= Number.MAX_SAFE_INTEGER ? high + rest : BigInt(high) + BigInt(rest)
  }
}

/** The kernel with everything: answers decoded, plans, explanations. */
export class Kernel extends HeartbeatKernel {
  declare protected readonly core: FullCore

  override heartbeat(settings: Settings): ExplainingHeartbeat {
    return new ExplainingHeartbeat(this.core, settings)
  }

  /** What a raw answer to an attempt proves, by the protocol's schemas (W1 to W6). */
  decode(operation: 'create' | 'extend', answer: Answer, { unknownKeys = 'reject' }: DecodeOptions = {}): Decoded {
    const { core } = this
    const { status, retryAfter, body } = answer
    small('status', status, 65_535)
    if (unknownKeys !== 'reject' && unknownKeys !== 'ignore') {
      throw outOfRange('unknownKeys', unknownKeys, '"reject" or "ignore"')
    }
    const bytes = typeof body === 'string' ? encoder.encode(body) : body
    const start = core.buffer(2 * bytes.length + (retryAfter?.length ?? 0) + TEXT_MAX)
    const header = core.header(retryAfter)
    core.bytes.set(bytes, start + Math.max(header, 0))
    const create = operation === 'create' ? 1 : 0
    const kind = core.wasm.decode(create, status, header, bytes.length, unknownKeys === 'ignore' ? 1 : 0)
    const success = () => ({ remainingTtlMs: core.whole(0), expiresAtMs: core.whole(2) })
    const outcomes: (() => Outcome)[] = [
      () => ({ type: 'created', ...success() }),
      () => ({ type: 'denied' }),
      () => ({ type: 'extended', ...success() }),
      () => ({ type: 'failed', kind: 'ambiguous' }),
      () => ({ type: 'failed', kind: 'http', status, code: codeOf(core.out[0]!), retryAfter: retryAfter ?? null }),
    ]
    const wrong = core.text(6)
    return {
      outcome: outcomes[kind]!(),
      reservationId: core.text(4),
      retryAfterMs: kind === 4 ? core.whole(2) : null,
      problem: wrong == null ? null : { wrong, pointer: core.text(8), offset: orNull(core.out[10]!) },
    }
  }

  /**
   * What a timeout comes to for answers that leave `leadMs` (the least `remaining_ttl_ms` to expect, less the round trip)
   * on a network whose slowest round trip is `maxRttMs`.
   */
  plan({ requestTimeoutMs, leadMs, maxRttMs = 0 }: { requestTimeoutMs?: Count | null; leadMs: Count; maxRttMs?: Count }): Plan {
    const timeout = optionalCount('requestTimeoutMs', requestTimeoutMs, 1)
    const timeoutLow = low
    const lead = count('leadMs', leadMs)
    const leadLow = low
    const rtt = count('maxRttMs', maxRttMs)
    const { core } = this
    core.wasm.plan(timeout, timeoutLow, lead, leadLow, rtt, low)
    const word = (index: number) => orNull(core.out[index]!)
    return {
      attemptBudgetMs: word(0),
      safetyMarginMs: core.out[1]!,
      retryReserveMs: word(2),
      delayMs: word(3),
      largestTimeoutMs: word(4),
      shortestLeadMs: word(5),
    }
  }
}

function codeOf(index: number): ErrorCode | null {
  return errorCodes[index] ?? null
}

function orNull(value: number): number | null {
  return value < 0 ? null : value
}
