// What each part of the package comes to, minified and gzipped: a line with a name and its bytes for `cargo xtask budgets`.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const dist = fileURLToPath(new URL('../dist', import.meta.url))
const gzipped = (bytes) => gzipSync(bytes, { level: 9 }).length
const minified = async (entry) => {
  const options = { bundle: true, minify: true, format: 'esm', target: 'es2022', write: false }
  const built = await build({ ...options, entryPoints: [`${dist}/${entry}.js`] })
  return gzipped(built.outputFiles[0].contents)
}

for (const name of ['heartbeat', 'full']) {
  const wasm = gzipped(readFileSync(`${dist}/wasm/${name}.wasm`))
  console.log(name, wasm + (await minified(`entry/${name}`)))
  console.log(`${name}_module`, wasm + (await minified(`entry/${name}.module`)))
  console.log(`${name}_inline`, await minified(`entry/${name}.inline`))
}
console.log('keep_alive', await minified('keep-alive'))
