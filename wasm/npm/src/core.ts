import type { Wasm } from './wasm.js'

const OR_BIG = ', or as a BigInt to '
const PAGE = 65_536
/** The crate's `Lease` fits in so many bytes. */
const LEASE = 208
const MILLION = 1_000_000n
export const U64_MAX = 2n ** 64n - 1n
/** 2^64 - 1 ns, rounded down to what a number can say. */
const READING_MAX_MS = 18_446_744_073_709.55

/** An error that names the field, its value and its range. */
export function outOfRange(field: string, value: unknown, range: unknown): RangeError | TypeError {
  const type = typeof value
  const number = type === 'number' || type === 'bigint'
  const shown = number ? value : type === 'string' ? `"${value as string}"` : type
  return new (number ? RangeError : TypeError)(`${field} is ${shown}; it must be ${range}`)
}

/**
 * An instance, its memory, and what goes in and out of it: checked here, and written as two numbers, of which the first
 * counts millions, so that a number needs no BigInt on its way and a BigInt loses nothing.
 */
export function coreOf<W extends Wasm>(module: WebAssembly.Module) {
  // A copy: engines look a name up faster in a plain object.
  const wasm = { ...new WebAssembly.Instance(module).exports } as unknown as W
  const { memory } = wasm
  const at = wasm.words()
  const free: number[] = []
  /** Where arguments go, and what a call says besides its number. */
  let words: Float64Array
  const view = () => {
    words = new Float64Array(memory.buffer, at, 16)
  }
  view()

  /** The address of so many more pages. */
  const grow = (pages: number, what: string): number => {
    try {
      return memory.grow(pages) * PAGE
    } catch {
      throw new RangeError(`no memory for ${what}: 64 MiB are in use`)
    } finally {
      // Memory that has grown leaves an old view with nothing.
      view()
    }
  }

  /** The same for what is no number: a BigInt, or an error. */
  const other = (index: number, field: string, value: unknown, least: number, most: number, range: string): void => {
    if (typeof value !== 'bigint' || value < least || value > most || value > U64_MAX) throw outOfRange(field, value, range)
    words[index] = Number(value / MILLION)
    words[index + 1] = Number(value % MILLION)
  }
  // Short, so that engines put them where they are called. No BigInt is compared with a number that is one: that is slow.
  /** Writes a whole number. */
  const put = (index: number, field: string, value: unknown, least = 0, most = Infinity): void => {
    if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) {
      words[index] = 0
      words[index + 1] = value as number
    } else other(index, field, value, least, most, `whole, from ${least} to ${most < 1e12 ? most : Number.MAX_SAFE_INTEGER + OR_BIG + U64_MAX}`)
  }
  /** Writes a reading or a span: milliseconds, or as a BigInt nanoseconds. A fraction of one is dropped, or rounded up. */
  const time = (index: number, field: string, value: unknown, up: boolean): void => {
    if (typeof value === 'number' && value >= 0 && value <= READING_MAX_MS) {
      const ms = Math.floor(value)
      const ns = (value - ms) * 1e6
      words[index] = ms
      words[index + 1] = up ? Math.ceil(ns) : ns
    } else other(index, field, value, 0, Infinity, `from 0 to ${READING_MAX_MS} ms${OR_BIG}${U64_MAX} ns`)
  }

  /** The same as `put` where there may be none, which is -1. */
  const optional = (index: number, field: string, value: unknown, least?: number, most?: number): void => {
    if (value == null) words[index] = -1
    else put(index, field, value, least, most)
  }
  /** Room for a lease. */
  const take = (): number => {
    if (!free.length) {
      for (let start = grow(1, 'another lease'), left = PAGE; (left -= LEASE) >= 0; ) free.push(start + left)
    }
    return free.pop()!
  }
  const give = (lease: number): void => {
    free.push(lease)
  }
  // Without names, which no minifier would shorten.
  return [() => words, put, optional, time, take, give, wasm, grow] as const
}

export type Core<W extends Wasm = Wasm> = ReturnType<typeof coreOf<W>>
