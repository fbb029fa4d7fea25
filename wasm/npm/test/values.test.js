// What goes in and out of the kernel: ranges, BigInts, rounding, memory.
import assert from 'node:assert/strict'
import test from 'node:test'
import { load } from '../dist/entry/full.node.js'

const kernel = await load()
const settings = { extendByMs: 60_000, requestTimeoutMs: 10_000 }
const created = { type: 'created', rtt: 100, remainingTtlMs: 60_000, expiresAtMs: 1_785_585_600_000 }

function held(event = created, now = 1_000) {
  const heartbeat = kernel.heartbeat(settings)
  heartbeat.handle(event, now)
  return heartbeat
}

const wrong = [NaN, Infinity, -Infinity, -1, -0.001, 2 ** 64, -1n, 2n ** 64n]

test('a value out of range is an error that names field, value and range, and changes nothing', () => {
  const heartbeat = kernel.heartbeat(settings)
  const refuses = (field, value, call) =>
    assert.throws(call, (error) => {
      assert.ok(error instanceof RangeError || error instanceof TypeError)
      assert.ok(error.message.startsWith(`${field} is ${value}; it must be `), error.message)
      assert.match(error.message, /from \d/)
      return true
    })
  for (const value of wrong) {
    refuses('now', value, () => heartbeat.tick(value))
    refuses('rtt', value, () => heartbeat.handle({ ...created, rtt: value }, 0))
  }
  for (const value of [...wrong, 0.5, 2 ** 53]) {
    refuses('remainingTtlMs', value, () => heartbeat.handle({ ...created, remainingTtlMs: value }, 0))
    refuses('expiresAtMs', value, () => heartbeat.handle({ ...created, expiresAtMs: value }, 0))
    refuses('attempt', value, () => heartbeat.handle({ ...created, attempt: value }, 0))
    refuses('requestTimeoutMs', value, () => kernel.heartbeat({ ...settings, requestTimeoutMs: value }))
    refuses('maxWaitMs', value, () => kernel.heartbeat({ ...settings, maxWaitMs: value }))
    refuses('extendByMs', value, () => kernel.heartbeat({ extendByMs: value }))
    refuses('clockResolutionNs', value, () => kernel.heartbeat({ ...settings, clockResolutionNs: value }))
    refuses('leadMs', value, () => kernel.plan({ leadMs: value }))
    refuses('status', value, () => heartbeat.handle({ type: 'failed', kind: 'http', status: value }, 0))
  }
  for (const [field, least, most] of [['extendByMs', 1, 86_400_000], ['clockResolutionNs', 0, 10_000_000_000]]) {
    kernel.heartbeat({ ...settings, [field]: least })
    kernel.heartbeat({ ...settings, [field]: most })
    refuses(field, least - 1, () => kernel.heartbeat({ ...settings, [field]: least - 1 }))
    refuses(field, most + 1, () => kernel.heartbeat({ ...settings, [field]: most + 1 }))
  }
  assert.throws(() => heartbeat.tick('5'), { name: 'TypeError', message: /^now is "5"; it must be / })
  assert.throws(() => heartbeat.handle({ type: 'extend' }, 0), { message: /^type is "extend"; it must be / })
  assert.throws(() => heartbeat.handle({ type: 'failed', kind: 'dns' }, 0), { message: /^kind is "dns"; it must be / })
  assert.throws(() => kernel.heartbeat({ ...settings, fallback: 'guess' }), { message: /^fallback is "guess"; / })
  assert.deepEqual(heartbeat.stats, { attempts: 0, retries: 0, extensions: 0, failures: 0 })
  assert.equal(heartbeat.nextDeadline, null)
})

test('a misuse changes nothing', () => {
  const heartbeat = held()
  const before = [heartbeat.fence, heartbeat.nextDeadline]
  assert.throws(() => heartbeat.handle({ type: 'denied' }, 2_000), { name: 'MisuseError', code: 'unexpected-event' })
  heartbeat.handle({ type: 'tick' }, 60_000)
  assert.throws(() => heartbeat.handle({ type: 'failed', kind: 'timeout', attempt: 9 }, 60_000), { code: 'stale-attempt' })
  assert.deepEqual(before[0], heartbeat.fence)
})

test('BigInts lose nothing', () => {
  const max = 2n ** 64n - 1n
  const heartbeat = kernel.heartbeat({ extendByMs: 86_400_000, requestTimeoutMs: max, maxWaitMs: max })
  const expiresAtMs = 2n ** 63n - 1n
  assert.equal(heartbeat.handle({ ...created, remainingTtlMs: max, expiresAtMs }, max).action, 'send')
  const body = `{"status":"ACTIVE","expires_at_ms":${expiresAtMs},"remaining_ttl_ms":9007199254740993}`
  const { outcome } = kernel.decode('extend', { status: 200, body })
  assert.deepEqual(outcome, { type: 'extended', remainingTtlMs: 9_007_199_254_740_993n, expiresAtMs })
})

/** A double as an exact number of 2^-1074ths, in nanoseconds. */
function exactNs(ms) {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, ms)
  const bits = view.getBigUint64(0)
  const exponent = (bits >> 52n) & 0x7ffn
  const mantissa = (bits & (2n ** 52n - 1n)) | (exponent ? 2n ** 52n : 0n)
  return (mantissa << (exponent ? exponent - 1n : 0n)) * 1_000_000n
}

test('a fence is never later than sent + remaining, nor a deadline earlier, whatever the fractions', () => {
  const unit = 2n ** 1074n
  let seed = 7
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31
  for (let round = 0; round < 2_000; round++) {
    const scale = 10 ** (random() * 12)
    const sent = random() * scale
    const now = sent + random() * 100
    const rtt = now - sent
    const heartbeat = held({ ...created, rtt }, now)
    // In exact arithmetic, but for 2^-20 ns that the product of a fraction may be off.
    const truth = exactNs(now) - exactNs(rtt) + 60_000_000_000n * unit
    assert.ok(exactNs(heartbeat.fence) <= truth + (unit >> 20n), `${now} ${rtt} ${heartbeat.fence}`)
    assert.ok(Number((truth - exactNs(heartbeat.fence)) / unit) < 3 + scale / 4e9, `${now} ${rtt} ${heartbeat.fence}`)
    const { waitMs } = heartbeat.tick(now)
    const due = BigInt(waitMs) * 1_000_000n * unit + exactNs(now)
    assert.ok(exactNs(heartbeat.nextDeadline) >= due - 2n * unit)
    assert.equal(heartbeat.isHeldFor(0, Math.max(0, heartbeat.fence - 0.001)), true)
    assert.equal(heartbeat.isHeldFor(0.001, heartbeat.fence), false)
    assert.equal(heartbeat.isHeldFor(0, heartbeat.fence + scale / 1e9 + 0.001), false)
    heartbeat.free()
  }
})

test('readings in ms and in ns are one clock', () => {
  const heartbeat = held({ ...created, rtt: 100_000_000n }, 1_000_000_000n)
  assert.equal(heartbeat.fence, 60_900)
  assert.equal(heartbeat.lead(60_899.5), 0)
  assert.equal(heartbeat.lead(60_899), heartbeat.lead(60_899_000_000n))
})

test('a wait is at most what a timer can take, unless asked for otherwise', () => {
  const day30 = { ...created, remainingTtlMs: 30 * 86_400_000 }
  assert.equal(kernel.heartbeat(settings).handle(day30, 0).waitMs, 2 ** 31 - 1)
  assert.equal(kernel.heartbeat({ ...settings, maxWaitMs: null }).handle(day30, 0).waitMs, 30 * 86_400_000 - 100 - 21_000)
})

test('100,000 leases made and freed, 10,000 alive at once, and room is used again', () => {
  for (let round = 0; round < 10; round++) {
    const alive = Array.from({ length: 10_000 }, (_, index) => held(created, index))
    alive.forEach((heartbeat, index) => assert.equal(heartbeat.fence, index - 100 + 60_000))
    for (const heartbeat of alive) heartbeat.free()
  }
  const [one] = [held()]
  one.free()
  one.free()
  assert.throws(() => one.fence, /freed/)
})

test('out of room is an error, and then there is room again', () => {
  const alive = []
  assert.throws(() => {
    for (;;) alive.push(kernel.heartbeat(settings))
  }, { name: 'RangeError', message: /no memory for another lease/ })
  assert.ok(alive.length > 300_000, `${alive.length} leases`)
  assert.throws(() => kernel.decode('extend', { status: 200, body: new Uint8Array(2 ** 26) }), /no memory for a text/)
  const last = alive.pop()
  last.free()
  assert.equal(held().fence, 60_900)
  for (const heartbeat of alive) heartbeat.free()
})

test('a lease that nobody holds any more is freed', { skip: global.gc ? false : 'needs --expose-gc' }, async () => {
  for (let round = 0; round < 5; round++) {
    for (let index = 0; index < 100_000; index++) kernel.heartbeat(settings)
    await new Promise((resolve) => setTimeout(resolve, 20))
    global.gc()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  // Five times as many would not fit.
  assert.equal(held().fence, 60_900)
})

test('what a failure means', () => {
  const http = (status, code) => ({ kind: 'http', status, code })
  assert.deepEqual(kernel.classify('extend', { kind: 'timeout' }), { disposition: 'transient' })
  assert.deepEqual(kernel.classify('extend', http(429)), { disposition: 'throttled' })
  assert.deepEqual(kernel.classify('extend', http(403)), { disposition: 'rejected' })
  assert.deepEqual(kernel.classify('extend', http(302)), { disposition: 'unexpected-status' })
  assert.deepEqual(kernel.classify('extend', http(410)), { disposition: 'permanent', reason: 'reservation-expired' })
  assert.deepEqual(kernel.classify('create', http(503, 'NOT_FOUND')), { disposition: 'transient' })
  assert.deepEqual(kernel.classify('extend', http(503, 'NOT_FOUND')), { disposition: 'permanent', reason: 'not-found' })
  assert.deepEqual(kernel.classify('extend', http(409, 'NEW_CODE')), { disposition: 'rejected' })
})

test('a code is one of the protocol, spelled as there, or none', () => {
  const reason = (code) => kernel.classify('extend', { kind: 'http', status: 409, code }).reason
  for (const name of ['reservation-expired', 'reservation-finalized', 'max-extensions-exceeded', 'tenant-closed', 'not-found']) {
    assert.equal(reason(name.toUpperCase().replaceAll('-', '_')), name)
    assert.equal(reason(name), undefined)
  }
  for (const code of ['CLOSED', 'REJECTED', 'THROTTLED', 'LEASE_TOO_SHORT', 'FORBIDDEN', '', null, 5]) assert.equal(reason(code), undefined)
})

test('c5: a Retry-After is read as the kernel reads one', () => {
  const headers = ['0', '5', '0005', ' \t 5\t ', '', ' ', '+5', '-5', '5.0', '5e3', '5,6', '5 6', '0x5', '\u0665', '5\n', '\n5', '5\u00a0', '5s', `${'0'.repeat(300)}7`,
    '86400', '86401', '18446744073709551', '18446744073709552', '18446744073709551615', '99999999999999999', '100000000000000000', '9'.repeat(400), null, undefined]
  for (const retryAfter of headers) {
    const { retryAfterMs } = kernel.decode('extend', { status: 429, retryAfter, body: '{"error":"LIMIT_EXCEEDED"}' })
    // On the fallback a retry waits for so long, half a second at least and a day at most (F6).
    const heartbeat = kernel.heartbeat({ extendByMs: 1_000, maxWaitMs: null })
    const { attempt } = heartbeat.handle({ type: 'created', expiresAtMs: 1 }, 0)
    const { action, waitMs } = heartbeat.handle({ type: 'failed', kind: 'http', status: 429, retryAfter, attempt }, 1)
    const expected = retryAfterMs > 86_400_000 ? ['stop', undefined] : ['wait', Math.max(500, Number(retryAfterMs))]
    assert.deepEqual([action, waitMs], expected, JSON.stringify(retryAfter))
  }
})

test('the modules import nothing: nothing in them can panic', async () => {
  const { readFileSync } = await import('node:fs')
  for (const name of ['heartbeat', 'full']) {
    const module = new WebAssembly.Module(readFileSync(new URL(`../dist/wasm/${name}.wasm`, import.meta.url)))
    assert.deepEqual(WebAssembly.Module.imports(module), [])
  }
})
