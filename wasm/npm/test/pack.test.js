// The package as it is published: packed, installed in an empty project, and the examples of its README and of docs/WEB.md run.
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import { packageRoot, page, projectRoot, serve, site } from './project.js'

const project = mkdtempSync(join(tmpdir(), 'leasebeat-pack-'))
const run = (program, ...arguments_) => execFileSync(program, arguments_, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
const block = (path, language) => readFileSync(join(projectRoot, path), 'utf8').split(`\`\`\`${language}\n`)[1].split('```')[0]
const write = (name, text) => writeFileSync(join(project, name), text)

before(() => {
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', project], { cwd: packageRoot, encoding: 'utf8' }))
  write('package.json', '{"name":"empty","private":true,"type":"module"}')
  run('npm', 'install', '--offline', '--no-audit', '--no-fund', `./${filename}`)
  write('guarded.js', block('wasm/npm/README.md', 'js'))
})
after(() => rmSync(project, { recursive: true, force: true }))

const main = `
import { guarded } from './guarded.js'
const url = globalThis.process?.argv[2] ?? location.origin
const seen = await guarded(url, 'demo-key', async (id, keeper) => [typeof id, keeper.held(50_000), keeper.lead > 50_000])
globalThis.result = JSON.stringify(seen)
if (globalThis.process) console.log('result ' + globalThis.result)
`
const right = '["string",true,true]'

test('Node runs the example of the README', async (t) => {
  const { url } = await serve(t)
  write('main.js', main)
  assert.match(run('node', 'main.js', url), new RegExp(`result ${right.replace(/[[\]]/g, '\\$&')}`))
})

const others = { deno: ['run', '--quiet', '--no-lock', '--node-modules-dir=manual', '--allow-read', '--allow-net', '--allow-env'], bun: ['run'] }
for (const [runtime, options] of Object.entries(others)) {
  test(`${runtime} runs the example of the README`, async (t) => {
    const { url } = await serve(t)
    write('main.js', main)
    assert.ok(run(join(packageRoot, 'node_modules/.bin', runtime), ...options, 'main.js', url).includes(`result ${right}`))
  })
}

test('each entry can be imported from Node', () => {
  const entries = ['', '/inline', '/module', '/heartbeat', '/heartbeat/inline', '/heartbeat/module', '/keep-alive', '/cycles', '/trace']
  write('all.js', entries.map((entry) => `console.log(Object.keys(await import('leasebeat${entry}')).join())`).join('\n'))
  const exports = run('node', 'all.js').trimEnd().split('\n')
  assert.equal(exports.length, entries.length)
  assert.deepEqual(exports.slice(0, 3), ['MisuseError,load', 'MisuseError,load,loadSync', 'MisuseError,instantiate'])
  for (const name of ['LICENSE-APACHE', 'LICENSE-MIT']) assert.ok(existsSync(join(project, 'node_modules/leasebeat', name)), name)
  const files = run('npm', 'ls', '--all', '--parseable').trimEnd().split('\n')
  assert.equal(files.length, 2, 'it has no dependencies')
})

test('the types hold under `tsc --strict`', () => {
  cpSync(join(packageRoot, 'test/types.ts'), join(project, 'types.ts'))
  const options = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2023,dom', '--module', 'esnext', '--types', '']
  run(join(packageRoot, 'node_modules/.bin/tsc'), ...options, '--moduleResolution', 'bundler', 'types.ts')
  run(join(packageRoot, 'node_modules/.bin/tsc'), ...options.map((one) => (one === 'esnext' ? 'nodenext' : one)), 'types.ts')
})

/** The page's `result`, and whatever it could not do. */
async function resultOf(t, folder, path, api) {
  const opened = await page(t, await site(t, folder, api))
  const errors = []
  opened.on('pageerror', (error) => errors.push(error.message))
  await opened.goto(new URL(path, opened.url()).href)
  await opened.waitForFunction(() => globalThis.result, null, { timeout: 10_000 }).catch(() => assert.fail(errors.join('\n') || 'no result'))
  return opened.evaluate(() => globalThis.result)
}

test('a bundle of vite runs the example in Chromium', async (t) => {
  const { url } = await serve(t)
  write('main.js', main)
  write('index.html', '<!doctype html><script type="module" src="./main.js"></script>')
  const { build: vite } = await import('vite')
  await vite({ root: project, logLevel: 'error', base: './', build: { outDir: 'vite', target: 'es2022' } })
  assert.equal(await resultOf(t, join(project, 'vite'), '/index.html', url), right)
})

test('a bundle of esbuild runs the example in Chromium, inlined', async (t) => {
  const { url } = await serve(t)
  write('main.js', main)
  write('bundle.html', '<!doctype html><script type="module" src="bundle.js"></script>')
  const alias = { leasebeat: join(project, 'node_modules/leasebeat/dist/entry/full.inline.js') }
  await build({ entryPoints: [join(project, 'main.js')], bundle: true, format: 'esm', target: 'es2022', outfile: join(project, 'bundle.js'), logLevel: 'error', plugins: [{ name: 'inline', setup: (b) => b.onResolve({ filter: /^leasebeat$/ }, () => ({ path: alias.leasebeat })) }] })
  assert.equal(await resultOf(t, project, '/bundle.html', url), right)
})

test('the page of docs/WEB.md holds a lease, without a bundler', async (t) => {
  const { url } = await serve(t)
  write('page.html', block('docs/WEB.md', 'html'))
  const opened = await page(t, await site(t, project, url))
  await opened.goto(new URL('/page.html', opened.url()).href)
  await opened.waitForFunction(() => /^held for 5\d{4} ms$/.test(document.querySelector('output').textContent), null, { timeout: 10_000 })
})

test('a module worker is given a compiled module', async (t) => {
  write('worker.js', `
    import { instantiate } from './node_modules/leasebeat/dist/entry/heartbeat.module.js'
    onmessage = ({ data }) => {
      const heartbeat = instantiate(data).heartbeat({ extendByMs: 60_000, requestTimeoutMs: 10_000 })
      postMessage(JSON.stringify(heartbeat.handle({ type: 'begin' }, performance.now())))
    }`)
  write('worker.html', `<!doctype html><script type="module">
    const worker = new Worker('./worker.js', { type: 'module' })
    worker.onmessage = ({ data }) => (globalThis.result = data)
    worker.postMessage(await WebAssembly.compileStreaming(fetch('./node_modules/leasebeat/dist/wasm/heartbeat.wasm')))
  </script>`)
  const decision = JSON.parse(await resultOf(t, project, '/worker.html'))
  assert.deepEqual([decision.action, decision.operation, decision.rule], ['send', 'create', 'L1'])
})

test('the edge worker of docs/WEB.md holds a lease in workerd', async (t) => {
  const { url } = await serve(t)
  write('edge.js', block('docs/WEB.md', 'js'))
  await build({ entryPoints: [join(project, 'edge.js')], bundle: true, format: 'esm', target: 'es2022', outfile: join(project, 'edge-bundle.js'), external: ['leasebeat/full.wasm'], logLevel: 'error' })
  cpSync(join(project, 'node_modules/leasebeat/dist/wasm/full.wasm'), join(project, 'full.wasm'))
  const port = await freePort()
  write('edge.capnp', `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .edge), (name = "local", network = (allow = ["private", "local"]))],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const edge :Workerd.Worker = (
  modules = [(name = "edge", esModule = embed "edge-bundle.js"), (name = "leasebeat/full.wasm", wasm = embed "full.wasm")],
  bindings = [(name = "CYCLES_URL", text = "${url}")],
  compatibilityDate = "2026-01-01",
  globalOutbound = "local",
);`)
  const workerd = spawn(join(packageRoot, 'node_modules/workerd/bin/workerd'), ['serve', 'edge.capnp'], { cwd: project, stdio: 'inherit' })
  t.after(() => workerd.kill())
  const answer = await eventually(() => fetch(`http://127.0.0.1:${port}/`))
  assert.match(await answer.text(), /^held for 5\d{4} ms$/)
})

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function eventually(attempt) {
  for (let left = 100; ; left--) {
    try {
      return await attempt()
    } catch (error) {
      if (!left) throw error
      await sleep(50)
    }
  }
}
