// The simulation: what the page claims, held against what its server knows.

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { replay } from 'leasebeat/trace'
import { chance, close, kernel, module } from './model.js'

const { simulate } = await module('simulate')
const { initial, policies, ranges } = await module('setup')
const { kindNames, kinds } = await module('faults')
const { held, proved } = await module('record')
const { recorded, traced } = await module('traced')
const { Server } = await module('server')
const { read, written, writtenTrace } = await module('share')
const { verdict } = await module('words')
const { stops } = await module('controls')
const { sentences } = await module('rules')

after(close)

const calm = (more = {}) => ({ ...initial(), faults: [], ...more })
const sends = ({ steps }) => steps.flatMap(({ at, decision }) => (decision?.action === 'send' ? [{ at, ...decision }] : []))

/** A setup of anything at all. */
function any(seed) {
  const random = chance(seed)
  const log = ({ least, most }) => Math.round(least * (most / least) ** (random(1_000) / 1_000))
  const slowest = log({ least: 1, most: 8_000 })
  const work = log({ least: 10_000, most: 600_000 })
  const faults = Array.from({ length: random(6) }, () => {
    const kind = kindNames[random(kindNames.length)]
    return { kind, at: random(work), amount: kinds[kind].amount ? random(40_000) : 0 }
  })
  return {
    ...initial(),
    ttl: log({ least: 5_000, most: 120_000 }),
    timeout: log({ least: 200, most: 30_000 }),
    rtt: Math.max(1, Math.min(slowest, random(2_000))),
    slowest,
    work,
    policy: policies[random(3)],
    clamp: log(ranges.clamp),
    lead: log(ranges.lead),
    says: random(4) > 0,
    seed,
    faults,
  }
}

test('what is provably held is truly held, whatever goes wrong', () => {
  let [provedMs, lapses, wakes] = [0, 0, 0]
  for (let seed = 1; seed <= 600; seed++) {
    const run = simulate(kernel, any(seed))
    const truth = held(run)
    for (const { from, until } of proved(run)) {
      assert.ok(truth.some((span) => span.from <= from && until <= span.until), `seed ${seed}: proved ${from} to ${until}`)
      provedMs += until - from
    }
    lapses += truth.at(-1)?.until < run.until ? 1 : 0
    wakes += run.steps.filter(({ event }) => event.type === 'timing-lost').length
  }
  // The setups are hard enough to mean something.
  assert.ok(provedMs > 1e6 && lapses > 50 && wakes > 50, `${provedMs} ms proved, ${lapses} lapses, ${wakes} wakes`)
})

test('the same setup gives the same run, another seed other round trips', () => {
  const texts = (setup) => simulate(kernel, setup).steps.map(({ at, text }) => `${at} ${text}`)
  assert.deepEqual(texts(any(7)), texts(any(7)))
  assert.notDeepEqual(texts(calm({ seed: 1 })), texts(calm({ seed: 2 })))
})

test('a fault of one attempt leaves the round trips of the others as they were', () => {
  const trips = (faults) => simulate(kernel, calm({ faults })).steps.flatMap(({ event }) => (event.type === 'extended' ? [event.rtt] : []))
  const [first, second] = [trips([]), trips([{ kind: '503', at: 200_000, amount: 0 }])]
  assert.deepEqual(second.slice(0, 3), first.slice(0, 3))
})

test('a lost response is repeated with the same key, and the server applies it once', () => {
  const run = simulate(kernel, calm({ faults: [{ kind: 'lost-response', at: 30_000, amount: 0 }] }))
  const [, beat, retry] = sends(run)
  assert.deepEqual([beat.key, retry.key, retry.keyGeneration], ['fresh', 'same', beat.keyGeneration])
  assert.equal(run.faults[0].struck, beat.at)
  // The create and each applied extension, not the replay.
  assert.equal(run.truth.length, sends(run).length - 1)
})

test('a lost request is not applied, a 429 is retried when it allows', () => {
  const lost = simulate(kernel, calm({ faults: [{ kind: 'lost-request', at: 30_000, amount: 0 }] }))
  assert.equal(lost.truth.length, sends(lost).length - 1)
  assert.ok(lost.truth[1].at > sends(lost)[2].at)

  const run = simulate(kernel, calm({ faults: [{ kind: '429', at: 30_000, amount: 5_000 }] }))
  const failed = run.steps.find(({ event }) => event.type === 'failed')
  assert.equal(failed.event.retryAfter, '5')
  assert.deepEqual([sends(run)[2].at - failed.at, failed.why.rule], [5_000, 'R6'])
})

test('a partition stops every exchange that it touches', () => {
  const run = simulate(kernel, calm({ faults: [{ kind: 'partition', at: 30_000, amount: 200_000 }] }))
  assert.equal(run.truth.length, 1)
  assert.deepEqual(run.steps.at(-1).decision.reason, 'no-safe-retry')
  assert.equal(verdict(run, calm()).mood, 'lapsed')
})

test('a host that slept reports lost timing before anything else, and proves nothing until an answer', () => {
  const run = simulate(kernel, calm({ faults: [{ kind: 'suspend', at: 10_000, amount: 40_000 }] }))
  const wake = run.steps.findIndex(({ event }) => event.type === 'timing-lost')
  assert.deepEqual([run.steps[wake].at, run.steps[wake].fence, run.steps[wake].decision.action], [50_000, null, 'send'])
  assert.ok(run.steps[wake + 1].fence > 50_000)
})

test('the server: A6, A7, A9, A10, A15, A17, A20', () => {
  const expiries = (more, ...calls) => {
    const server = new Server(calm({ ttl: 10_000, ...more }))
    server.create(0, 1)
    return calls.map(([at, key]) => server.extend(at, key))
  }
  const ok = (expiresAt, remaining) => ({ status: 200, expiresAt, remaining })
  assert.deepEqual(expiries({}, [4_000, 2]), [ok(20_000, 16_000)])
  assert.deepEqual(expiries({}, [10_000, 2], [20_001, 3]), [ok(20_000, 10_000), { status: 410, code: 'RESERVATION_EXPIRED' }])
  assert.deepEqual(expiries({ policy: 'clamp', clamp: 3_000 }, [4_000, 2]), [ok(13_000, 9_000)])
  assert.deepEqual(expiries({ policy: 'lead', lead: 8_000 }, [1_000, 2], [4_000, 3]), [ok(10_000, 9_000), ok(12_000, 8_000)])
  assert.deepEqual(expiries({}, [4_000, 2], [6_000, 2]), [ok(20_000, 16_000), ok(20_000, 14_000)])
  assert.deepEqual(expiries({ says: false }, [4_000, 2]), [ok(20_000, null)])
  assert.deepEqual(new Server(calm()).extend(0, 1), { status: 404, code: 'NOT_FOUND' })
})

test('a run taken as a trace is decided as it was', () => {
  for (let seed = 1; seed <= 60; seed++) {
    const setup = any(seed)
    const run = simulate(kernel, setup)
    const again = [...replay(kernel, recorded(run, setup))].map(({ text }) => text)
    assert.deepEqual(again, run.steps.map(({ text }) => text), `seed ${seed}`)
  }
})

test('a bad trace names the line and the field, and what stands before it stands', () => {
  const head = '{"trace":"leasebeat/1","config":{"extend_by_ms":60000,"request_timeout_ms":10000}}\n{"at":0,"in":"begin"}\n'
  for (const [line, names] of [
    ['{"at":1,"in":"created","rtt_ns":1,"remaining_ttl_ms":-5}', /remaining_ttl_ms is -5/],
    ['{"at":"x","in":"tick"}', /at is "x"/],
    ['{"at":1,"in":"nap"}', /in is "nap"/],
    ['{"at":1,"in":"tick","why":1}', /"why"/],
    ['{"at":1,"in":"failed","kind":"http","status":70000}', /status is 70000/],
    ['{"at":1,', /JSON/],
  ]) {
    const { run, error } = traced(kernel, head + line)
    assert.deepEqual([error.line, run.steps.length], [3, 1], line)
    assert.match(error.what, names)
  }
  assert.match(traced(kernel, '{"trace":"leasebeat/1","config":{"extend_by_ms":0}}').error.what, /^extend_by_ms is 0/)
  assert.equal(traced(kernel, '').error.line, 1)
})

test('a link says what was set, to the last millisecond', async () => {
  for (let seed = 1; seed <= 100; seed++) {
    const setup = any(seed)
    assert.deepEqual(await read(written(setup)), { setup })
  }
  const trace = '{"at": 18446744073709551000, "note": "ä€😀"}\n'.repeat(500)
  assert.deepEqual(await read(await writtenTrace(trace)), { trace })
})

test('a bad link is refused in words that name the key', async () => {
  const bomb = await writtenTrace('\n'.repeat(1_000_001))
  for (const [fragment, names] of [
    ['ttl=1000', /no version/],
    ['v=2&ttl=1000', /version is 2/],
    ['v=1&ttl=999', /ttl is 999; it must be a whole number from 1000/],
    ['v=1&ttl=1e4', /ttl is 1e4/],
    ['v=1&policy=free', /policy is free/],
    ['v=1&toString=1', /unknown key, toString/],
    ['v=1&faults=404@1', /404@1/],
    ['v=1&faults=503@1:1', /faults is 1/],
    ['v=1&rtt=500&slowest=400', /rtt is above slowest/],
    ['v=1&trace=%', /trace is not base64url/],
    ['v=1&trace=AAAA', /trace is damaged/],
    [bomb, /longer than 1000000/],
  ]) {
    await assert.rejects(read(fragment), names, fragment.slice(0, 40))
  }
})

test('every rule has its sentence', async () => {
  const { rules } = await import(new URL('../../wasm/npm/dist/names.js', import.meta.url))
  for (const rule of rules) assert.ok(sentences[rule]?.length > 15, rule)
  assert.equal(sentences.R2, 'window < 0: stop, `no-safe-retry`.')
})

test('a slider reaches both ends of its range in rising steps', () => {
  for (const { least, most } of Object.values(ranges)) {
    const each = stops(least, most)
    assert.deepEqual([each[0], each.at(-1)], [least, most])
    assert.ok(each.every((value, index) => index === 0 || value > each[index - 1]))
  }
})
