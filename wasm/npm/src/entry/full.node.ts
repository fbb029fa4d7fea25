import { read } from '../read.node.js'
import type { Kernel } from '../full-types.js'
import { instantiate } from './full.module.js'

export * from './full.api.js'

let kernel: Promise<Kernel> | undefined

/** The kernel with everything, from the package's .wasm file, or from where you put that. It is loaded once. */
export function load(url: URL | string = new URL('../wasm/full.wasm', import.meta.url)): Promise<Kernel> {
  return (kernel ??= read(url).then(WebAssembly.compile).then(instantiate, (error) => {
    kernel = undefined // the next call tries again
    throw error
  }))
}
