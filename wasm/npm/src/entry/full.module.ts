import type { Kernel } from '../full-types.js'
import { kernelOf } from '../full.js'

export * from './full.api.js'

let kernel: Kernel | undefined

/** The kernel with everything, from its compiled module: for workers that must not compile. One instance is made, and kept. */
export function instantiate(module: WebAssembly.Module): Kernel {
  return (kernel ??= kernelOf(module))
}
