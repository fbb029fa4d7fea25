// What every entry of the kernel with everything has besides its way to the WebAssembly.
export * from './heartbeat.api.js'
export type * from '../full-types.js'
