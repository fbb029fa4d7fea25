import { read } from '../read.js'
import type { HeartbeatKernel } from '../types.js'
import { instantiate } from './heartbeat.module.js'

export * from './heartbeat.api.js'

let kernel: Promise<HeartbeatKernel> | undefined

/** The kernel alone, from the package's .wasm file, or from where you put that. It is loaded once. */
export function load(url: URL | string = new URL('../wasm/heartbeat.wasm', import.meta.url)): Promise<HeartbeatKernel> {
  return (kernel ??= read(url).then(WebAssembly.compile).then(instantiate, (error) => {
    kernel = undefined // the next call tries again
    throw error
  }))
}
