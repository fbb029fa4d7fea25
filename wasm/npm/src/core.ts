import type { Wasm } from './wasm.js'

const U64_MAX = 2n ** 64n - 1n
/** 2^64 - 1 ns, rounded down to what a number can say. */
const READING_MAX_MS = 18_446_744_073_709.55

/** An error that names the field, its value and its range. */
export function outOfRange(field: string, value: unknown, range: string): RangeError | TypeError {
  const type = typeof value
  const shown = type === 'string' ? JSON.stringify(value) : type === 'object' && value ? 'an object' : String(value)
  return new (type === 'number' || type === 'bigint' ? RangeError : TypeError)(`${field} is ${shown}; it must be ${range}`)
}

export function outOfRoom(what: string): RangeError {
  return new RangeError(`no memory for ${what}: free what is no longer used; 64 MiB is all there is`)
}

/**
 * An instance, and what goes in and out of it: checked here, and written as two numbers whose sum it is, so that a number
 * needs no BigInt on its way and a BigInt loses nothing.
 */
export class Core<W extends Wasm = Wasm> {
  readonly wasm: W
  #words: Float64Array
  #bytes: Uint8Array

  constructor(wasm: W) {
    this.wasm = wasm
    this.#words = this.#view()
    this.#bytes = this.bytes
  }

  /** Where arguments go, and what a call says besides its number. */
  get words(): Float64Array {
    // Memory that has grown leaves an old view with nothing.
    return this.#words.length ? this.#words : (this.#words = this.#view())
  }

  get bytes(): Uint8Array {
    return this.#bytes?.length ? this.#bytes : (this.#bytes = new Uint8Array(this.wasm.memory.buffer))
  }

  /** Writes a reading or a span: milliseconds, and nanoseconds besides. */
  time(index: number, field: string, value: number | bigint): void {
    if (typeof value === 'number' && value >= 0 && value <= READING_MAX_MS) this.#put(index, value, 0)
    else if (typeof value === 'bigint' && value >= 0n && value <= U64_MAX) {
      this.#put(index, Number(value / 1_000_000n), Number(value % 1_000_000n))
    } else throw outOfRange(field, value, `from 0 to ${READING_MAX_MS} ms, or as a BigInt to ${U64_MAX} ns`)
  }

  /** Writes a whole number: at most `most`, which by default is all that 64 bits hold. */
  count(index: number, field: string, value: number | bigint, least = 0, most = Infinity): void {
    // No BigInt is compared with a number that is one: that is slow.
    if (typeof value === 'number' && value >= least && value <= most && Number.isSafeInteger(value)) {
      this.#put(index, value, 0)
    } else if (typeof value === 'bigint' && value >= least && value <= most && value <= U64_MAX) {
      this.#put(index, Number(value & ~0xfffn), Number(value & 0xfffn))
    } else {
      const range = most < Infinity ? most : `${Number.MAX_SAFE_INTEGER}, or as a BigInt to ${U64_MAX}`
      throw outOfRange(field, value, `whole, from ${least} to ${range}`)
    }
  }

  optional(index: number, field: string, value: number | bigint | null | undefined, least = 0): void {
    if (value == null) this.words[index] = -1
    else this.count(index, field, value, least)
  }

  /** Room for so many bytes, until the next call. */
  buffer(length: number): number {
    const start = this.wasm.buffer(length) >>> 0
    if (!start) throw outOfRoom(`a text of ${length} bytes`)
    return start
  }

  /** Writes a header to the buffer byte by byte, as the wire had it, and its length to a word; -1 for none. */
  header(index: number, text: string | null | undefined): void {
    this.words[index] = text?.length ?? -1
    if (!text) return
    const start = this.buffer(text.length)
    // Whatever is no byte is no digit either.
    for (let at = 0; at < text.length; at++) this.bytes[start + at] = Math.min(text.charCodeAt(at), 0xff)
  }

  #put(index: number, high: number, low: number): void {
    const { words } = this
    words[index] = high
    words[index + 1] = low
  }

  #view(): Float64Array {
    return new Float64Array(this.wasm.memory.buffer, this.wasm.words(), 16)
  }
}
