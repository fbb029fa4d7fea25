// The page's own modules, loaded by Vite as the page loads them.

import { fileURLToPath } from 'node:url'
import { load } from 'leasebeat'
import { createServer } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const vite = await createServer({ root, logLevel: 'error', appType: 'custom', server: { middlewareMode: true, ws: false, watch: null }, optimizeDeps: { noDiscovery: true } })

export const kernel = await load()
export const module = (name) => vite.ssrLoadModule(`/src/${name}.ts`)
export const close = () => vite.close()

/** Chance that is the same each time. */
export function chance(seed) {
  let state = seed
  return (most) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * most)
  }
}
