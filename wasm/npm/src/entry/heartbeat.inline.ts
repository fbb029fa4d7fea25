import { bytes } from '../base64.js'
import { base64 } from '../wasm/heartbeat_base64.js'
import type { HeartbeatKernel } from '../types.js'
import { instantiate } from './heartbeat.module.js'

export * from './heartbeat.api.js'

let kernel: HeartbeatKernel | undefined

/** The kernel alone, from the WebAssembly in this very file: nothing is fetched. */
export function loadSync(): HeartbeatKernel {
  return (kernel ??= instantiate(new WebAssembly.Module(bytes(base64))))
}

/** The same, compiled without blocking. */
export async function load(): Promise<HeartbeatKernel> {
  return (kernel ??= instantiate(await WebAssembly.compile(bytes(base64))))
}
