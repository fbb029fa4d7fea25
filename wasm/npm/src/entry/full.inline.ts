import { bytes } from '../base64.js'
import { base64 } from '../wasm/full_base64.js'
import type { Kernel } from '../full-types.js'
import { instantiate } from './full.module.js'

export * from './full.api.js'

let kernel: Kernel | undefined

/** The kernel with everything, from the WebAssembly in this very file: nothing is fetched. */
export function loadSync(): Kernel {
  return (kernel ??= instantiate(new WebAssembly.Module(bytes(base64))))
}

/** The same, compiled without blocking. */
export async function load(): Promise<Kernel> {
  return (kernel ??= instantiate(await WebAssembly.compile(bytes(base64))))
}
