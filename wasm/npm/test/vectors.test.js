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

test('a trace that is out of range is an error with the line, and the field as the format names it', async () => {
  const { load } = await import('../dist/entry/heartbeat.node.js')
  const { replay } = await import('../dist/trace.js')
  const kernel = await load()
  const header = (config) => JSON.stringify({ trace: 'leasebeat/1', config })
  const created = (more) => `${header({ extend_by_ms: 60_000 })}\n${JSON.stringify({ at: 0, in: 'created', ...more })}`
  const wrong = [
    [header({ extend_by_ms: 0 }), /^line 1: extend_by_ms is 0; it must be /],
    [header({ extend_by_ms: 1, max_wait_ms: 0 }), /^line 1: max_wait_ms is 0; /],
    [created({ remaining_ttl_ms: -1 }), /^line 2: remaining_ttl_ms is -1; /],
    [created({ rtt_ns: -1 }), /^line 2: rtt_ns is -1; /],
    [created({ at: -1 }), /^line 2: at is -1; /],
    [`${header({ extend_by_ms: 1 })}\n{"at":0,"in":"failed","kind":"dns"}`, /^line 2: kind is "dns"; /],
  ]
  for (const [trace, message] of wrong) assert.throws(() => [...replay(kernel, trace)], { name: 'TraceError', message })
})
