// What the kernel with everything says and is told.
import type { Count, Heartbeat, HeartbeatKernel, Outcome, Rule, Settings } from './types.js'

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
export interface ExplainingHeartbeat extends Heartbeat {
  /** Why the last decision was made. Nothing of it is computed before. */
  explain(): Explanation
}

/** The kernel with everything: answers decoded, plans, explanations. */
export interface Kernel extends HeartbeatKernel {
  heartbeat(settings: Settings): ExplainingHeartbeat
  /** What a raw answer to an attempt proves, by the protocol's schemas (W1 to W6). */
  decode(operation: 'create' | 'extend', answer: Answer, options?: DecodeOptions): Decoded
  /**
   * What a timeout comes to for answers that leave `leadMs` (the least `remaining_ttl_ms` to expect, less the round trip)
   * on a network whose slowest round trip is `maxRttMs`.
   */
  plan(question: { requestTimeoutMs?: Count | null; leadMs: Count; maxRttMs?: Count }): Plan
}
