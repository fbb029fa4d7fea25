// The Cycles REST API behind the driver: reservations created and extended over HTTP, answers decoded by the kernel.

import type { Decoded, DecodeOptions, Answer } from './full-types.js'
import type { Attempt } from './keep-alive.js'
import type { Outcome } from './types.js'

export interface CyclesOptions extends DecodeOptions {
  /** What `load()` of `leasebeat` gave: the kernel with everything. */
  kernel: { decode(operation: 'create' | 'extend', answer: Answer, options?: DecodeOptions): Decoded }
  /** Where the API is; requests go to `/v1/reservations` below it. */
  baseUrl: string
  apiKey: string
  /** The body of the create, without `idempotency_key` and `ttl_ms`: subject, action, estimate. */
  reservation?: Record<string, unknown>
  /** A reservation that is already there. */
  reservationId?: string
  /** Besides those that the API asks for. */
  headers?: Record<string, string>
  /** By default the global one. */
  fetch?: typeof globalThis.fetch
}

/** The reservation, and how the driver sends for it. */
export interface CyclesLease {
  /** For `keepAlive`. */
  send(attempt: Attempt, signal: AbortSignal): Promise<Outcome>
  /** Null until it is granted. */
  readonly reservationId: string | null
}

/**
 * Sends attempts to the Cycles REST API. In a browser the server must expose `Retry-After` to the page's origin
 * (`Access-Control-Expose-Headers`), or every 429 counts as one without it.
 */
export function cycles(options: CyclesOptions): CyclesLease {
  const { kernel, baseUrl, apiKey, reservation, unknownKeys = 'reject' } = options
  const fetch = options.fetch ?? globalThis.fetch.bind(globalThis)
  const root = `${baseUrl.replace(/\/+$/, '')}/v1/reservations`
  let reservationId = options.reservationId ?? null

  async function send(attempt: Attempt, signal: AbortSignal): Promise<Outcome> {
    const { operation, idempotencyKey, extendByMs } = attempt
    const body =
      operation === 'create'
        ? { ...reservation, idempotency_key: idempotencyKey, ttl_ms: extendByMs }
        : { idempotency_key: idempotencyKey, extend_by_ms: extendByMs }
    if (operation === 'extend' && reservationId === null) {
      throw new TypeError('reservationId is missing: there is no reservation to extend')
    }
    const url = operation === 'create' ? root : `${root}/${encodeURIComponent(reservationId!)}/extend`
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...options.headers, 'Content-Type': 'application/json', 'X-Cycles-API-Key': apiKey },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal,
    })
    const answer = {
      status: response.status,
      retryAfter: response.headers.get('Retry-After'),
      body: new Uint8Array(await response.arrayBuffer()),
    }
    const decoded = kernel.decode(operation, answer, { unknownKeys })
    reservationId = decoded.reservationId ?? reservationId
    const { outcome, problem } = decoded
    return outcome.type === 'failed' && problem ? { ...outcome, problem: problem.wrong } : outcome
  }

  return {
    send,
    get reservationId() {
      return reservationId
    },
  }
}
