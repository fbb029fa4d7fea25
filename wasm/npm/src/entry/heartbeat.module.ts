import { coreOf } from '../core.js'
import { heartbeatsOf } from '../heartbeat.js'
import type { HeartbeatKernel } from '../types.js'

export * from './heartbeat.api.js'

let kernel: HeartbeatKernel | undefined

/** The kernel alone, from its compiled module: for workers that must not compile. One instance is made, and kept. */
export function instantiate(module: WebAssembly.Module): HeartbeatKernel {
  return (kernel ??= heartbeatsOf(coreOf(module))[0])
}
