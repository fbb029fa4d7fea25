/** What a module exports. The crate says what each function reads and writes. */
export interface Wasm {
  readonly memory: WebAssembly.Memory
  words(): number
  buffer(length: number): number
  lease_new(): number
  lease_free(lease: number): void
  handle(lease: number, event: number): number
  disposition(create: number, event: number): number
  read(lease: number): void
}

/** What the module with everything exports besides. */
export interface FullWasm extends Wasm {
  explain(lease: number): number
  plan(): void
  decode(): number
}

/** Makes an instance. It imports nothing. */
export function exportsOf<W extends Wasm>(module: WebAssembly.Module): W {
  // A copy: engines look a name up faster in a plain object.
  return { ...new WebAssembly.Instance(module).exports } as unknown as W
}
