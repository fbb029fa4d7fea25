import { Core, outOfRange } from './core.js'
import { Heartbeat, HeartbeatKernel } from './heartbeat.js'
import { errorCodes, rules } from './names.js'
import type { Count, Outcome, Rule, Settings } from './types.js'
import { numbersText, remedyText, wrongText } from './sentences.js'
import type { FullWasm } from './wasm.js'

/** Why the last decision was made. */
export interface Explanation {
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
  /** At which byte of the body; null where it is not the body that is wrong. `leasebeat decode --explain` says more. */
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
    const packed = core.wasm.explain(this.lease)
    const { words } = core
    const rule = rules[(packed >>> 3) & 31]!
    const numbers = [null, primary, fallback, fallback][packed & 7]!?.(words, (packed & 7) === 3) ?? null
    const remedy = packed >>> 8
    const shown = remedy === 6 ? core.text(2) : remedy ? fill(remedyText[remedy - 1]!, words.subarray(2)) : null
    const parts = [`${core.text(0)} (${rule})`]
    if (numbers) parts.push(sentence(numbers))
    if (shown !== null) parts.push(shown)
    return { rule, text: parts.join('; '), remedy: shown, numbers }
  }
}

function primary(words: Float64Array): PrimaryNumbers {
  return {
    path: 'primary',
    leadMs: words[6]!,
    attemptBudgetMs: orNull(words[7]!),
    safetyMarginMs: words[8]!,
    retryReserveMs: orNull(words[9]!),
    windowMs: Number.isNaN(words[10]) ? null : words[10]!,
  }
}

function fallback(words: Float64Array, clamped: boolean): FallbackNumbers {
  return { path: 'fallback', grantMs: words[6]!, clamped }
}

function sentence(numbers: PrimaryNumbers | FallbackNumbers): string {
  if (numbers.path === 'fallback') return fill(numbersText[numbers.clamped ? 4 : 3], [numbers.grantMs])
  const { leadMs, attemptBudgetMs, safetyMarginMs, retryReserveMs, windowMs } = numbers
  if (attemptBudgetMs === null) return fill(numbersText[0], [leadMs])
  const all = [leadMs, attemptBudgetMs, safetyMarginMs, retryReserveMs, windowMs]
  return fill(numbersText[retryReserveMs === null ? 1 : 2], all)
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

export class FullCore extends Core<FullWasm> {
  /** The text whose place is in two words; null where there is none. */
  text(index: number): string | null {
    const [start, length] = this.words.subarray(index) as unknown as [number, number]
    return start < 0 ? null : decoder.decode(this.bytes.subarray(start, start + length))
  }

  /** The texts whose places lie in memory one after the other. */
  texts(index: number): string[] {
    const [start, count] = this.words.subarray(index) as unknown as [number, number]
    const places = new Uint32Array(this.wasm.memory.buffer, start, 2 * count)
    return Array.from({ length: count }, (_, at) =>
      decoder.decode(this.bytes.subarray(places[2 * at]!, places[2 * at]! + places[2 * at + 1]!)),
    )
  }

  /** The 64-bit number in two words. */
  whole(index: number): Count | null {
    const [high, low] = this.words.subarray(index) as unknown as [number, number]
    if (high < 0) return null
    return high + low <= Number.MAX_SAFE_INTEGER ? high + low : BigInt(high) + BigInt(low)
  }

  /** What is wrong with the answer that was decoded last. */
  problem(): Problem | null {
    const { words } = this
    const wrong = words[6]!
    if (wrong < 0) return null
    const value = wrong < 3 ? words[7] : wrong === 5 ? this.texts(7).join(' ') : wrong < 5 ? this.text(7) : ''
    return { wrong: fill(wrongText[wrong]!, [value]), offset: orNull(words[9]!) }
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
    if (unknownKeys !== 'reject' && unknownKeys !== 'ignore') {
      throw outOfRange('unknownKeys', unknownKeys, '"reject" or "ignore"')
    }
    core.count(0, 'status', status, 0, 65_535)
    const bytes = typeof body === 'string' ? encoder.encode(body) : body
    const headerLength = retryAfter?.length ?? 0
    const start = core.buffer(headerLength + bytes.length)
    core.header(1, retryAfter)
    core.bytes.set(bytes, start + headerLength)
    core.words[2] = bytes.length
    core.words[3] = operation === 'create' ? 1 : 0
    core.words[4] = unknownKeys === 'ignore' ? 1 : 0
    const kind = core.wasm.decode()
    const { words } = core
    const success = () => ({ remainingTtlMs: core.whole(0), expiresAtMs: core.whole(2) })
    const outcomes: (() => Outcome)[] = [
      () => ({ type: 'created', ...success() }),
      () => ({ type: 'denied' }),
      () => ({ type: 'extended', ...success() }),
      () => ({ type: 'failed', kind: 'ambiguous' }),
      () => ({ type: 'failed', kind: 'http', status, code: errorCodes[words[0]!] ?? null, retryAfter: retryAfter ?? null }),
    ]
    const id = core.text(4)
    return {
      outcome: outcomes[kind]!(),
      // It was found well-formed: only the escapes are left to be read.
      reservationId: id === null ? null : (JSON.parse(`"${id}"`) as string),
      retryAfterMs: kind === 4 ? core.whole(2) : null,
      problem: core.problem(),
    }
  }

  /**
   * What a timeout comes to for answers that leave `leadMs` (the least `remaining_ttl_ms` to expect, less the round trip)
   * on a network whose slowest round trip is `maxRttMs`.
   */
  plan({ requestTimeoutMs, leadMs, maxRttMs = 0 }: { requestTimeoutMs?: Count | null; leadMs: Count; maxRttMs?: Count }): Plan {
    const { core } = this
    core.optional(0, 'requestTimeoutMs', requestTimeoutMs, 1)
    core.count(2, 'leadMs', leadMs)
    core.count(4, 'maxRttMs', maxRttMs)
    core.wasm.plan()
    const word = (index: number) => orNull(core.words[index]!)
    return {
      attemptBudgetMs: word(0),
      safetyMarginMs: core.words[1]!,
      retryReserveMs: word(2),
      delayMs: word(3),
      largestTimeoutMs: word(4),
      shortestLeadMs: word(5),
    }
  }
}

/** A sentence with its values in their places. */
function fill(sentence: string, values: ArrayLike<unknown>): string {
  return sentence.replace(/\{(\d)\}/g, (_, index: string) => String(values[Number(index)]))
}

function orNull(value: number): number | null {
  return value < 0 ? null : value
}
