// The server's side, as small as it can be: one reservation, by the rules A3, A6, A7, A9, A10, A15, A17 and A20 of
// docs/AUTHORITY.md. It has no limit of extensions.

import type { Setup } from './setup.js'

export type Answer =
  | { status: 200; expiresAt: number; remaining: number | null }
  | { status: 410; code: 'RESERVATION_EXPIRED' }
  | { status: 404; code: 'NOT_FOUND' }

/** From `at` on the lease ends at `expires`. */
export interface Truth {
  at: number
  expires: number
}

export class Server {
  readonly #setup: Setup
  /** Each expiry there was, in order: the truth that a host can only infer. */
  readonly truth: Truth[] = []
  /** What each key was answered (A15). */
  readonly #answered = new Map<number, number>()

  constructor(setup: Setup) {
    this.#setup = setup
  }

  create(at: number, key: number): Answer {
    return this.#answered.has(key) ? this.#answer(at, key) : this.#apply(at, key, at + this.#setup.ttl)
  }

  extend(at: number, key: number): Answer {
    if (this.#answered.has(key)) return this.#answer(at, key)
    const expires = this.#expires()
    if (expires === undefined) return { status: 404, code: 'NOT_FOUND' }
    if (at > expires) return { status: 410, code: 'RESERVATION_EXPIRED' }
    const { ttl, policy, clamp, lead } = this.#setup
    if (policy === 'clamp') return this.#apply(at, key, expires + Math.min(ttl, clamp))
    // An expiry that is beyond the maximum lead already stays (A10).
    if (policy === 'lead') return this.#apply(at, key, Math.max(expires, Math.min(expires + ttl, at + lead)))
    return this.#apply(at, key, expires + ttl)
  }

  #expires(): number | undefined {
    return this.truth.at(-1)?.expires
  }

  #apply(at: number, key: number, expires: number): Answer {
    this.truth.push({ at, expires })
    this.#answered.set(key, expires)
    return this.#answer(at, key)
  }

  /** What a key was answered, with what remains counted anew (A17). */
  #answer(at: number, key: number): Answer {
    const expiresAt = this.#answered.get(key)!
    return { status: 200, expiresAt, remaining: this.#setup.says ? Math.max(0, expiresAt - at) : null }
  }
}
