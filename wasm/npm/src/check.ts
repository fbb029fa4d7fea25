// What is handed over to the kernel: checked, and as two numbers whose sum it is, so that a number needs no BigInt on
// its way and a BigInt loses nothing. The second of the two is left in `low`: a pair would cost an allocation.

const U64_MAX = 2n ** 64n - 1n
/** 2^64 - 1 ns, rounded down to what a number can say. */
const READING_MAX_MS = 18_446_744_073_709.55

/** The second number of the value that was checked last. */
export let low = 0

/** An error that names the field, its value and its range. */
export function outOfRange(field: string, value: unknown, range: string): RangeError | TypeError {
  const shown = typeof value === 'string' ? JSON.stringify(value) : typeof value === 'object' && value ? 'an object' : String(value)
  const numeric = typeof value === 'number' || typeof value === 'bigint'
  return new (numeric ? RangeError : TypeError)(`${field} is ${shown}; it must be ${range}`)
}

/** A reading or a span: milliseconds, and in `low` nanoseconds besides. */
export function time(field: string, value: number | bigint): number {
  if (typeof value === 'number' && value >= 0 && value <= READING_MAX_MS) {
    low = 0
    return value
  }
  if (typeof value === 'bigint' && value >= 0n && value <= U64_MAX) {
    low = Number(value % 1_000_000n)
    return Number(value / 1_000_000n)
  }
  throw outOfRange(field, value, `a number of ms from 0 to ${READING_MAX_MS}, or a BigInt of ns from 0 to ${U64_MAX}`)
}

/** A span that may be unknown: then -1. */
export function optionalTime(field: string, value: number | bigint | null | undefined): number {
  return value == null ? none() : time(field, value)
}

/** A whole number. */
export function count(field: string, value: number | bigint, least = 0, most = U64_MAX): number {
  if (typeof value === 'number' && value >= least && value <= most && Number.isSafeInteger(value)) {
    low = 0
    return value
  }
  if (typeof value === 'bigint' && value >= least && value <= most) {
    low = Number(value & 0xfffn)
    return Number(value & ~0xfffn)
  }
  const safe = Number.MAX_SAFE_INTEGER
  throw outOfRange(
    field,
    value,
    `a whole number from ${least} to ${most > safe ? `${safe}, or a BigInt up to ` : ''}${most}`,
  )
}

/** A whole number that may be unknown: then -1. */
export function optionalCount(field: string, value: number | bigint | null | undefined, least = 0): number {
  return value == null ? none() : count(field, value, least)
}

/** A whole number of so many bits. */
export function small(field: string, value: number, most: number): number {
  if (value >= 0 && value <= most && Number.isInteger(value)) return value
  throw outOfRange(field, value, `a whole number from 0 to ${most}`)
}

function none(): number {
  low = 0
  return -1
}
