// What every entry of the kernel with everything has besides its way to the WebAssembly.
export * from './heartbeat.api.js'
export type {
  Answer,
  DecodeOptions,
  Decoded,
  ExplainingHeartbeat,
  Explanation,
  FallbackNumbers,
  Plan,
  PrimaryNumbers,
  Problem,
} from '../full.js'
