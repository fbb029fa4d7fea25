import { Core } from '../core.js'
import { HeartbeatKernel } from '../heartbeat.js'
import { exportsOf } from '../wasm.js'

export * from './heartbeat.api.js'
export type { HeartbeatKernel }

let kernel: HeartbeatKernel | undefined

/** The kernel alone, from its compiled module: for workers that must not compile. One instance is made, and kept. */
export function instantiate(module: WebAssembly.Module): HeartbeatKernel {
  return (kernel ??= new HeartbeatKernel(new Core(exportsOf(module))))
}
