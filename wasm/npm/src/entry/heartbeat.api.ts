// What every entry of the kernel alone has besides its way to the WebAssembly.
export { MisuseError } from '../misuse.js'
export type * from '../types.js'
