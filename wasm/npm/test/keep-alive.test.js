// The driver with real timers, against `leasebeat serve` on the loopback.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { describe } from 'node:test'
import { cycles } from '../dist/cycles.js'
import { load } from '../dist/entry/full.node.js'
import { keepAlive } from '../dist/keep-alive.js'
import { serve } from './project.js'

const kernel = await load()
// A beat is due 5 s before the lease ends, which leaves room for a failure, a retry and the margin.
const settings = { kernel, ttlMs: 8_000, timeoutMs: 2_000, onWarning() {} }
const reservation = {
  subject: { tenant: 'demo' },
  action: { kind: 'llm.completion', name: 'test' },
  estimate: { unit: 'TOKENS', amount: 1_000 },
}

/** Waits until it is so, two seconds at most: an answer is seen before the driver has taken it in. */
async function until(so) {
  for (let tries = 0; !so() && tries < 100; tries++) await sleep(20)
}

/** A lease at a server, whose first extend meets `fault`, and what happened to it. */
function start(url, fault, options = {}) {
  const seen = { sends: [], failures: [], inFlight: 0, most: 0, extended: 0 }
  let extends_ = 0
  const lease = cycles({
    kernel,
    baseUrl: url,
    apiKey: 'demo-key',
    reservation,
    fetch: (target, init) => {
      const faulty = target.endsWith('/extend') && extends_++ === 0
      return fetch(target, faulty ? { ...init, headers: { ...init.headers, 'X-Leasebeat-Fault': fault } } : init)
    },
  })
  const extended = new Promise((resolve) => (seen.resolve = resolve))
  const keeper = keepAlive({
    ...settings,
    async send(attempt, signal) {
      seen.sends.push(`${attempt.operation} ${attempt.key}`)
      seen.most = Math.max(seen.most, ++seen.inFlight)
      try {
        const outcome = await lease.send(attempt, signal)
        if (outcome.type === 'extended') seen.resolve()
        return outcome
      } finally {
        seen.inFlight--
      }
    },
    onFailure: (report) => seen.failures.push(report),
    ...options,
  })
  return { keeper, seen, lease, extended }
}

const recovered = {
  'lost-response': 'connection',
  reset: 'connection',
  truncated: 'connection',
  stall: 'timeout',
  'delay=10s': 'timeout',
  'delay-before=10s': 'timeout',
  'status=503': 'http',
  'status-after=500': 'http',
  'throttle=1': 'http',
  malformed: 'ambiguous',
  'wrong-schema': 'ambiguous',
  accepted: 'ambiguous',
  'body={"status":"ACTIVE","expires_at_ms":null}': 'ambiguous',
}
const stopped = {
  'status=409:MAX_EXTENSIONS_EXCEEDED': 'max-extensions-exceeded',
  'status=403': 'rejected',
  'status=302': 'unexpected-status',
  'throttle=60': 'throttled',
  throttle: 'throttled',
  'clock=+1h': 'reservation-expired',
  'close-tenant': 'tenant-closed',
}

describe('each fault of the server', { concurrency: true }, () => {
  for (const [fault, kind] of Object.entries(recovered)) {
    test(`${fault} is recovered`, async (t) => {
      const { url } = await serve(t)
      const { keeper, seen, extended } = start(url, fault)
      assert.equal(await keeper.granted, true)
      await Promise.race([extended, keeper.stopped.then((end) => assert.fail(`${fault}: ${JSON.stringify(end)}`))])
      await until(() => keeper.lead > 5_000)
      assert.deepEqual(seen.sends, ['create fresh', 'extend fresh', 'extend same'])
      assert.equal(seen.failures.length, 1)
      assert.equal(seen.failures[0].failure.kind, kind)
      assert.equal(seen.failures[0].disposition.disposition, fault.startsWith('throttle') ? 'throttled' : 'transient')
      assert.equal(seen.most, 1, 'beats never overlap')
      assert.ok(keeper.held(5_000) && keeper.lead > 5_000)
      keeper.close()
      assert.deepEqual((await keeper.stopped).reason, 'closed')
      assert.equal(keeper.held(), false)
    })
  }
  for (const [fault, reason] of Object.entries(stopped)) {
    test(`${fault} stops with ${reason}`, async (t) => {
      const { url } = await serve(t)
      const { keeper, seen } = start(url, fault)
      const end = await keeper.stopped
      assert.equal(end.reason, reason)
      assert.equal(seen.failures.length, 1)
      // A server that disproves the lease leaves no fence.
      assert.equal(end.fence === null, /expired|tenant/.test(reason), `${end.fence}`)
      keeper.close()
    })
  }
  test('a create whose answer is lost is repeated with its key', async (t) => {
    const { url, logged } = await serve(t, '--fault', 'create:1=lost-response')
    const { keeper, seen } = start(url, 'status=503')
    assert.equal(await keeper.granted, true)
    keeper.close()
    assert.deepEqual(seen.sends, ['create fresh', 'create same'])
    assert.equal(new Set((await logged(2)).map(({ key }) => key)).size, 1)
  })
  test('the policy cancel aborts the work when the fence passes, not before', async (t) => {
    const { url } = await serve(t)
    const { keeper } = start(url, 'status=403', { policy: 'cancel' })
    const { reason, fence } = await keeper.stopped
    assert.equal(reason, 'rejected')
    assert.equal(keeper.signal.aborted, false)
    assert.ok(keeper.held())
    await new Promise((resolve) => keeper.signal.addEventListener('abort', resolve))
    assert.ok(performance.now() >= fence && performance.now() < fence + 500)
    assert.equal(keeper.signal.reason.name, 'LeaseLapsedError')
    assert.equal(keeper.held(), false)
  })
  test('a machine that slept: the lease is not believed held, and is extended at once', async (t) => {
    const { url } = await serve(t)
    let slept = 0
    const clock = { now: () => performance.now(), wall: () => Date.now() + slept }
    const { keeper, seen, extended } = start(url, 'delay=1ms', { clock })
    await keeper.granted
    assert.ok(keeper.held(7_000))
    slept = 3_600_000
    assert.equal(keeper.held(), false)
    await extended
    assert.deepEqual(seen.sends, ['create fresh', 'extend fresh'])
    await until(() => keeper.held(7_000))
    assert.ok(keeper.held(7_000), 'the next answer proves it again')
    keeper.close()
  })
})

test('a lease of 30 days is neither beaten at once nor in a loop', async () => {
  const month = 30 * 86_400_000
  for (const maxWaitMs of [undefined, null]) {
    const decisions = []
    const keeper = keepAlive({
      ...settings,
      ...(maxWaitMs === null && { maxWaitMs }),
      created: { sentAt: performance.now(), remainingTtlMs: month, expiresAtMs: Date.now() + month },
      send: () => assert.fail('sent'),
      onDecision: (decision) => decisions.push(decision),
    })
    await sleep(300)
    assert.equal(decisions.length, 1)
    assert.equal(decisions[0].waitMs > 2 ** 31 - 1, maxWaitMs === null)
    assert.ok(keeper.held(month - 10_000))
    keeper.close()
  }
})

test('an abort of the caller closes it, and what it throws from a callback stops nothing', async () => {
  const controller = new AbortController()
  let sent = 0
  const keeper = keepAlive({ ...settings, signal: controller.signal, send: (_, signal) => new Promise((_, reject) => (sent++, signal.addEventListener('abort', () => reject(signal.reason)))) })
  await sleep(20)
  controller.abort()
  assert.equal((await keeper.stopped).reason, 'closed')
  assert.equal(await keeper.granted, false)
  assert.equal(sent, 1)
})

test('what send gives and is no outcome proves nothing', async () => {
  const failures = []
  const keeper = keepAlive({ ...settings, send: async () => ({ type: 'extended' }), onFailure: (report) => failures.push(report) })
  assert.equal((await keeper.stopped).reason, 'create-ambiguous')
  assert.deepEqual(failures.map(({ failure }) => failure.kind), ['ambiguous', 'ambiguous'])
  assert.ok(failures.every(({ error }) => error.name === 'MisuseError'))
  assert.throws(() => keepAlive({ ...settings, giveUpMs: 3_000 }), /giveUpMs is 3000; it must be /)
  assert.throws(() => keepAlive({ ...settings, ttlMs: 0 }), /extendByMs is 0; /)
})

test('closed from a callback, it sends nothing', async () => {
  const keeper = keepAlive({ ...settings, send: () => assert.fail('sent'), onDecision: () => keeper.close() })
  assert.equal((await keeper.stopped).reason, 'closed')
})

test('an attempt that the kernel has timed out is aborted before the next, and its late answer dropped', async (t) => {
  globalThis.document = new EventTarget()
  t.after(() => delete globalThis.document)
  let later = 0
  const clock = { now: () => performance.now() + later, wall: () => Date.now() + later }
  const attempts = []
  const answer = { type: 'created', remainingTtlMs: 8_000, expiresAtMs: Date.now() + 8_000 }
  const send = (attempt, signal) => new Promise((resolve) => attempts.push({ attempt, signal, resolve }))
  const keeper = keepAlive({ ...settings, clock, send })
  await sleep(20)
  later = 2_500
  document.dispatchEvent(new Event('visibilitychange'))
  await sleep(20)
  assert.deepEqual(attempts.map(({ attempt, signal }) => [attempt.key, signal.aborted]), [['fresh', true], ['same', false]])
  attempts[0].resolve(answer)
  await sleep(20)
  assert.equal(keeper.held(), false)
  attempts[1].resolve(answer)
  assert.equal(await keeper.granted, true)
  assert.ok(keeper.held(5_000))
  keeper.close()
})

test('an answer of your own that is out of range is refused at once, by its field', () => {
  const created = { sentAt: performance.now(), remainingTtlMs: 8_000, expiresAtMs: Date.now() }
  const send = () => assert.fail('nothing may be sent')
  for (const [field, value, shown = field] of [['sentAt', NaN, 'created.sentAt'], ['sentAt', -1, 'created.sentAt'], ['sentAt', '5', 'now'], ['remainingTtlMs', -1], ['remainingTtlMs', 0.5], ['expiresAtMs', 2 ** 53]]) {
    const message = new RegExp(`^${shown} is "?${value}"?; it must be `)
    assert.throws(() => keepAlive({ ...settings, send, created: { ...created, [field]: value } }), { message })
  }
})
