// What every entry of The kernel alone has besides its way to the WebAssembly.
export { MisuseError } from '../heartbeat.js'
export type { Heartbeat } from '../heartbeat.js'
export type * from '../types.js'
