// The dead zone: whether the slowest answer leaves a delay, as `leasebeat plan` has it.

import type { Kernel, Plan } from 'leasebeat'
import type { Setup } from './setup.js'

export interface Forecast {
  plan: Plan
  /** What the slowest answer leaves of a fresh lease. */
  leadMs: number
  /** Whether the slowest answer leaves no delay. A server that does not say what remains has no such zone. */
  isDead: boolean
  /** The largest request timeout that leaves one; null: none does. */
  safeTimeout: number | null
  /** The shortest lease that leaves one; null: none does. */
  safeTtl: number | null
}

export function forecast(kernel: Kernel, { ttl, timeout, slowest, policy, lead, says }: Setup): Forecast {
  const said = policy === 'lead' ? Math.min(ttl, lead) : ttl
  const leadMs = Math.max(0, said - slowest)
  const plan = kernel.plan({ requestTimeoutMs: timeout, leadMs, maxRttMs: slowest })
  const { delayMs, largestTimeoutMs, shortestLeadMs } = plan
  return {
    plan,
    leadMs,
    isDead: says && delayMs == null,
    safeTimeout: largestTimeoutMs,
    safeTtl: shortestLeadMs == null ? null : shortestLeadMs + slowest,
  }
}
