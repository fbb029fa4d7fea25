// Compiles the TypeScript into dist/, with the WebAssembly beside it and, for the inline entries, in it.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

process.chdir(fileURLToPath(new URL('..', import.meta.url)))

const names = ['heartbeat', 'full']
for (const name of names) {
  const base64 = readFileSync(`src/wasm/${name}.wasm`).toString('base64')
  writeFileSync(`src/wasm/${name}_base64.ts`, `export const base64 =\n  '${base64}'\n`)
}
rmSync('dist', { recursive: true, force: true })
execFileSync('node_modules/.bin/tsc', ['-p', 'tsconfig.json'], { stdio: 'inherit' })
mkdirSync('dist/wasm', { recursive: true })
for (const name of names) copyFileSync(`src/wasm/${name}.wasm`, `dist/wasm/${name}.wasm`)
// npm packs what lies in the package's own folder.
for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) copyFileSync(`../../${name}`, name)
