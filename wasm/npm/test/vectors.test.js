// Every vector of the project, through every entry, byte for byte.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { command, decide, packageRoot, page, projectRoot, site, vectors } from './project.js'

const entries = ['full.node', 'full.inline', 'heartbeat.node', 'heartbeat.inline']

for (const entry of entries) {
  test(`the vectors in Node, entry ${entry}`, async () => {
    const kernel = await (await import(`../dist/entry/${entry}.js`)).load()
    const format = await import('../dist/trace.js')
    const all = vectors()
    assert.ok(all.length > 90)
    for (const { name, trace, expected } of all) assert.equal(decide(format, kernel, trace), expected, name)
  })
}

for (const name of ['full', 'heartbeat']) {
  test(`the vectors in Node, entry ${name}.module`, async () => {
    const { instantiate } = await import(`../dist/entry/${name}.module.js`)
    const kernel = instantiate(new WebAssembly.Module(readFileSync(join(packageRoot, `dist/wasm/${name}.wasm`))))
    const format = await import('../dist/trace.js')
    for (const { name, trace, expected } of vectors()) assert.equal(decide(format, kernel, trace), expected, name)
  })
}

test('the vectors in Chromium, fetched and inlined', async (t) => {
  const opened = await page(t, await site(t, packageRoot))
  const all = vectors()
  for (const entry of ['full', 'full.inline', 'heartbeat', 'heartbeat.inline']) {
    const decided = await opened.evaluate(
      async ({ entry, traces, source }) => {
        const decide = new Function(`return ${source}`)()
        const kernel = await (await import(`/dist/entry/${entry}.js`)).load()
        const format = await import('/dist/trace.js')
        return traces.map((trace) => decide(format, kernel, trace))
      },
      { entry, traces: all.map(({ trace }) => trace), source: decide.toString() },
    )
    all.forEach(({ name, expected }, index) => assert.equal(decided[index], expected, `${entry}: ${name}`))
  }
})

test('explanations are those of `leasebeat replay --explain`', async () => {
  const kernel = await (await import('../dist/entry/full.node.js')).load()
  const { replay } = await import('../dist/trace.js')
  let compared = 0
  for (const { name, trace } of vectors()) {
    if (name.startsWith('config-out')) continue
    const printed = execFileSync(command, ['replay', '--explain', join(projectRoot, 'tests/vectors', name)], { encoding: 'utf8' })
    const lines = printed.split('\n').filter((line) => /^ {4}\S/.test(line))
    let at = 0
    for (const { decision, heartbeat } of replay(kernel, trace)) {
      const line = lines[at++]
      if (!decision) continue
      const { text, rule } = heartbeat.explain()
      assert.equal(decision.rule, rule)
      // Numbers above 2^53 are rounded in JavaScript.
      if (/\d{16}/.test(line)) continue
      assert.ok(line.includes(text), `${name}: ${line}\n${text}`)
      compared++
    }
  }
  assert.ok(compared > 150, `${compared} compared`)
})
