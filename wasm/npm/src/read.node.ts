import { readFile } from 'node:fs/promises'

/** The bytes of a file that lies beside the package's code. */
export function read(url: URL | string): Promise<Uint8Array<ArrayBuffer>> {
  return readFile(new URL(url))
}
