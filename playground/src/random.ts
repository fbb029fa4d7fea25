// Chance that is the same each time: drawn from the seed and the number of the attempt, so that a fault added to one
// attempt leaves the round trips of the others as they were.

/** A number from 0 up to 1 (mulberry32). */
function uniform(state: number): number {
  let x = (state + 0x6d2b79f5) | 0
  x = Math.imul(x ^ (x >>> 15), x | 1)
  x ^= x + Math.imul(x ^ (x >>> 7), x | 61)
  return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32
}

const Z_99 = 2.326

/**
 * The round trip of an attempt, in whole ms: log-normal around `typical`, with one in a hundred at `slowest`, where the
 * tail is cut.
 */
export function roundTrip(seed: number, attempt: number, typical: number, slowest: number): number {
  const state = Math.imul(seed, 0x9e3779b1) ^ Math.imul(attempt, 0x85ebca6b)
  const [a, b] = [1 - uniform(state), uniform(state ^ 0x5bd1e995)]
  const normal = Math.sqrt(-2 * Math.log(a)) * Math.cos(2 * Math.PI * b)
  const drawn = typical * Math.exp((normal * Math.log(slowest / typical)) / Z_99)
  return Math.max(1, Math.min(slowest, Math.round(drawn)))
}
