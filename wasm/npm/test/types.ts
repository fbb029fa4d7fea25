// Compiled, not run: what the types say to those who use them.
import { load, MisuseError, type Decision, type Event, type Heartbeat, type Kernel } from 'leasebeat'
import { instantiate } from 'leasebeat/heartbeat/module'
import { cycles } from 'leasebeat/cycles'
import { loadSync } from 'leasebeat/inline'
import { keepAlive, type Attempt, type KeepAlive } from 'leasebeat/keep-alive'
import { replay } from 'leasebeat/trace'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <T extends true>(): T => true as T

const kernel: Kernel = await load()
const alone = instantiate({} as WebAssembly.Module)
const heartbeat: Heartbeat = alone.heartbeat({ extendByMs: 60_000 })
const decision: Decision = heartbeat.handle({ type: 'begin' }, performance.now())

// A decision is told apart by its action.
switch (decision.action) {
  case 'send':
    holds<Equal<typeof decision.operation, 'create' | 'extend'>>()
    holds<Equal<typeof decision.timeoutMs, number | null>>()
    break
  case 'wait':
    holds<Equal<typeof decision.waitMs, number | null>>()
    break
  default:
    holds<Equal<typeof decision.action, 'stop'>>()
    // @ts-expect-error a stop has no wait
    decision.waitMs
}

heartbeat.handle({ type: 'extended', rtt: 5n, remainingTtlMs: 1n, expiresAtMs: 2, attempt: 1 }, 10n)
// @ts-expect-error no such event
heartbeat.handle({ type: 'extend' }, 0)
// @ts-expect-error an HTTP failure has a status
const bad: Event = { type: 'failed', kind: 'http' }
// @ts-expect-error a lease has a length
alone.heartbeat({})
// @ts-expect-error the kernel alone decodes nothing
alone.decode
// @ts-expect-error and explains nothing
heartbeat.explain()

const text: string = kernel.heartbeat({ extendByMs: 1 }).explain().text
const lease = cycles({ kernel: loadSync(), baseUrl: '', apiKey: '' })
const keeper: KeepAlive = keepAlive({ kernel: alone, send: lease.send, ttlMs: 1, timeoutMs: 1 })
const signal: AbortSignal = keeper.signal
const own = (attempt: Attempt) => Promise.resolve({ type: 'failed', kind: 'timeout', problem: attempt.idempotencyKey } as const)
keepAlive({ kernel, send: own, ttlMs: 1, timeoutMs: 1, policy: 'cancel' })
// @ts-expect-error the adapter decodes, which the kernel alone cannot
cycles({ kernel: alone, baseUrl: '', apiKey: '' })
for (const step of replay(kernel, '')) step.heartbeat.explain()
const misuse: string = new MisuseError('stale-attempt').code
export { bad, misuse, signal, text }
