/** What a module exports. The crate says what each function reads and writes. */
export interface Wasm {
  readonly memory: WebAssembly.Memory
  words(): number
  create(lease: number): void
  handle(lease: number, event: number): number
  disposition(create: number, event: number): number
  read(lease: number): void
}

/** What the module with everything exports besides. */
export interface FullWasm extends Wasm {
  explain(lease: number): number
  plan(): void
  decode(start: number): number
}
