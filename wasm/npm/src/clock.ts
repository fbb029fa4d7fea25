const READINGS_MAX = 100_000
/** What the coarsest browser has: 100 ms, where fingerprinting is resisted. */
const COARSEST_NS = 100_000_000

/**
 * By how much two readings of `performance.now()` may understate the time between them, in ns (T3): twice the smallest
 * step it was seen to make, as browsers round and jitter it. It takes at most a few milliseconds; where the clock stands
 * still for so long, as in workers that only tick on I/O, it is taken to be as coarse as any.
 */
export function clockResolutionNs(now: () => number = () => performance.now()): number {
  let [smallest, steps] = [Infinity, 0]
  let before = now()
  for (let readings = 0; readings < READINGS_MAX && steps < 20; readings++) {
    const reading = now()
    if (reading > before) {
      smallest = Math.min(smallest, reading - before)
      steps++
    }
    before = reading
  }
  return Math.min(COARSEST_NS, Math.ceil(smallest * 2e6))
}
