import { FullCore, Kernel } from '../full.js'
import { exportsOf } from '../wasm.js'

export * from './full.api.js'
export type { Kernel }

let kernel: Kernel | undefined

/** The kernel with everything, from its compiled module: for workers that must not compile. One instance is made, and kept. */
export function instantiate(module: WebAssembly.Module): Kernel {
  return (kernel ??= new Kernel(new FullCore(exportsOf(module))))
}
