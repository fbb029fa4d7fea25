import { coreOf, outOfRange } from './core.js'
import type { Answer, Decoded, DecodeOptions, ExplainingHeartbeat, Explanation, Kernel } from './full-types.js'
import { heartbeatsOf } from './heartbeat.js'
import { rules } from './names.js'
import type { Outcome } from './types.js'
import type { FullWasm } from './wasm.js'

const PAGE = 65_536
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The kernel with everything: answers decoded, plans, explanations. */
export function kernelOf(module: WebAssembly.Module): Kernel {
  const core = coreOf<FullWasm>(module)
  const [words, put, optional, , , , wasm, grow] = core
  const [kernel, Lease] = heartbeatsOf(core)
  let [start, room] = [0, 0]

  const word = (index: number) => words()[index]!
  const orNull = (index: number) => (word(index) < 0 ? null : word(index))
  const string = (start: number, length: number) => decoder.decode(new Uint8Array(wasm.memory.buffer, start, length))
  /** The text whose place is in two words; null where there is none. */
  const text = (index: number) => (word(index) < 0 ? null : string(word(index), word(index + 1)))
  /** The number in two words. */
  const number = (index: number) => {
    const [high, low] = [word(index), word(index + 1)]
    const sum = high * 1e6 + low
    return high < 0 ? null : Number.isSafeInteger(sum) ? sum : BigInt(high) * 1_000_000n + BigInt(low)
  }
  const success = () => ({ remainingTtlMs: number(0), expiresAtMs: number(2) })

  class ExplainingLease extends Lease implements ExplainingHeartbeat {
    explain(): Explanation {
      const kind = wasm.explain(this.lease)
      const [numbers, whole] = [kind & 3, text(0)!]
      return {
        rule: rules[kind >> 2]!,
        text: whole,
        remedy: word(2) < 0 ? null : whole.slice(word(2)),
        numbers:
          numbers > 1
            ? { path: 'fallback', grantMs: word(3), clamped: numbers > 2 }
            : numbers
              ? {
                  path: 'primary',
                  leadMs: word(3),
                  attemptBudgetMs: orNull(4),
                  safetyMarginMs: word(5),
                  retryReserveMs: orNull(6),
                  windowMs: Number.isNaN(word(7)) ? null : word(7),
                }
              : null,
      }
    }
  }

  return {
    ...kernel,
    heartbeat: (settings) => new ExplainingLease(settings),

    decode(operation, { status, retryAfter, body }: Answer, { unknownKeys = 'reject' }: DecodeOptions = {}): Decoded {
      const ignore = ['reject', 'ignore'].indexOf(unknownKeys)
      if (ignore < 0) throw outOfRange('unknownKeys', unknownKeys, 'reject or ignore')
      put(0, 'status', status, 0, 65_535)
      // Whatever is no ASCII is no digit either.
      const header = encoder.encode(retryAfter ?? '')
      const bytes = typeof body === 'string' ? encoder.encode(body) : body
      const length = header.length + bytes.length
      if (length > room) {
        // Doubled, as the shorter one is not given back.
        const pages = Math.ceil(Math.max(length, room * 2) / PAGE)
        start = grow(pages, `a text of ${length} bytes`)
        room = pages * PAGE
      }
      const buffer = new Uint8Array(wasm.memory.buffer, start, length)
      buffer.set(header)
      buffer.set(bytes, header.length)
      words().set([retryAfter == null ? -1 : header.length, bytes.length, operation === 'create' ? 1 : 0, ignore], 2)
      const kind = wasm.decode(start)
      const outcomes: (() => Outcome)[] = [
        () => ({ type: 'created', ...success() }),
        () => ({ type: 'denied' }),
        () => ({ type: 'extended', ...success() }),
        () => ({ type: 'failed', kind: 'ambiguous' }),
        () => ({ type: 'failed', kind: 'http', status, code: text(0), retryAfter: retryAfter ?? null }),
      ]
      const [id, wrong] = [text(4), text(6)]
      return {
        outcome: outcomes[kind]!(),
        // It was found well-formed: only the escapes are left to be read.
        reservationId: id === null ? null : (JSON.parse(`"${id}"`) as string),
        retryAfterMs: kind === 4 ? number(2) : null,
        problem: wrong === null ? null : { wrong, offset: orNull(8) },
      }
    },

    plan({ requestTimeoutMs, leadMs, maxRttMs = 0 }) {
      optional(0, 'requestTimeoutMs', requestTimeoutMs, 1)
      put(2, 'leadMs', leadMs)
      put(4, 'maxRttMs', maxRttMs)
      wasm.plan()
      const [attemptBudgetMs, safetyMarginMs, retryReserveMs, delayMs, largestTimeoutMs, shortestLeadMs] = [0, 1, 2, 3, 4, 5].map(orNull) as [number, number, number, number, number, number]
      return { attemptBudgetMs, safetyMarginMs, retryReserveMs, delayMs, largestTimeoutMs, shortestLeadMs }
    },
  }
}
