import type { InitOutput } from './wasm/heartbeat.js'

/** The instance, and views of its memory that follow when that grows. */
export class Core<W extends InitOutput = InitOutput> {
  readonly wasm: W
  #words: Float64Array
  #bytes: Uint8Array

  constructor(wasm: W) {
    this.wasm = wasm
    this.#words = new Float64Array(wasm.memory.buffer, wasm.out())
    this.#bytes = new Uint8Array(wasm.memory.buffer)
  }

  /** What the last call says besides its number. */
  get out(): Float64Array {
    // Grown memory leaves the old view with nothing.
    if (!this.#words.length) this.#words = new Float64Array(this.wasm.memory.buffer, this.wasm.out())
    return this.#words
  }

  get bytes(): Uint8Array {
    if (!this.#bytes.length) this.#bytes = new Uint8Array(this.wasm.memory.buffer)
    return this.#bytes
  }

  /** Room for so many bytes, until the next call. */
  buffer(length: number): number {
    const start = this.wasm.buffer(length) >>> 0
    if (!start) throw outOfRoom(`a text of ${length} bytes`)
    return start
  }

  /** Writes a header, byte by byte as the wire had it, and gives its length; -1 for none. */
  header(text: string | null | undefined): number {
    if (text == null) return -1
    const start = this.buffer(text.length)
    for (let index = 0; index < text.length; index++) {
      const char = text.charCodeAt(index)
      this.bytes[start + index] = char > 0xff ? 0xff : char
    }
    return text.length
  }
}

export function outOfRoom(what: string): RangeError {
  return new RangeError(`no memory for ${what}: free what is no longer used; 64 MiB is all there is`)
}
