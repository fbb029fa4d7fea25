// What a reader can set, with its range. Everything is in milliseconds.

import { type Fault } from './faults.js'

export type Policy = 'adds' | 'clamp' | 'lead'

export interface Setup {
  /** What the create asks for, and each extension too. */
  ttl: number
  /** The request timeout that the kernel is told. */
  timeout: number
  /** The typical round trip: half of them are quicker. */
  rtt: number
  /** The slowest round trip but for spikes: one in a hundred would be slower. */
  slowest: number
  /** How long the work lasts that the lease is for. */
  work: number
  policy: Policy
  /** Under `clamp`: the most that one extension adds. */
  clamp: number
  /** Under `lead`: how far ahead of now an extension can put the expiry. */
  lead: number
  /** Whether answers carry `remaining_ttl_ms`. */
  says: boolean
  seed: number
  faults: Fault[]
}

export type Field = 'ttl' | 'timeout' | 'rtt' | 'slowest' | 'work' | 'clamp' | 'lead'

export interface Range {
  least: number
  most: number
}

export const ranges: Record<Field, Range> = {
  ttl: { least: 1_000, most: 600_000 },
  timeout: { least: 200, most: 60_000 },
  rtt: { least: 1, most: 10_000 },
  slowest: { least: 1, most: 30_000 },
  work: { least: 10_000, most: 3_600_000 },
  clamp: { least: 100, most: 600_000 },
  lead: { least: 1_000, most: 600_000 },
}

export const policies: readonly Policy[] = ['adds', 'clamp', 'lead']

export function initial(): Setup {
  return {
    ttl: 60_000,
    timeout: 10_000,
    rtt: 80,
    slowest: 400,
    work: 240_000,
    policy: 'adds',
    clamp: 20_000,
    lead: 60_000,
    says: true,
    seed: 1,
    faults: [
      { kind: 'lost-response', at: 80_000, amount: 0 },
      { kind: '503', at: 150_000, amount: 0 },
    ],
  }
}

/** The same setup with one field changed, and what must follow: no round trip is slower than the slowest. */
export function change(setup: Setup, field: Field, value: number): Setup {
  const { least, most } = ranges[field]
  const changed = { ...setup, [field]: Math.min(most, Math.max(least, Math.round(value))) }
  if (field === 'rtt') changed.slowest = Math.max(changed.slowest, changed.rtt)
  if (field === 'slowest') changed.rtt = Math.min(changed.rtt, changed.slowest)
  return changed
}
