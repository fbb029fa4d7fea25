// A page that Chromium freezes and thaws: the lease is renewed, or it stops and says why; a lapsed one is never held.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { describe } from 'node:test'
import { hiddenPage } from './devtools.js'
import { packageRoot, serve, site } from './project.js'

/** Runs in the page. */
async function keepInPage() {
  const [{ load }, { keepAlive }, { cycles }] = await Promise.all(
    ['entry/full.js', 'keep-alive.js', 'cycles.js'].map((path) => import(`/dist/${path}`)),
  )
  const kernel = await load()
  const seen = (globalThis.seen = { samples: [], sends: 0, expiresAt: [], stopped: null, resumed: 0, reasons: [] })
  const lease = cycles({
    kernel,
    baseUrl: location.origin,
    apiKey: 'demo-key',
    reservation: { subject: { tenant: 'demo' }, action: { kind: 'llm.completion', name: 'test' }, estimate: { unit: 'TOKENS', amount: 1 } },
  })
  const keeper = keepAlive({
    kernel,
    ttlMs: 8_000,
    timeoutMs: 2_000,
    onDecision: ({ rule }) => seen.reasons.push(rule),
    async send(attempt, signal) {
      seen.sends++
      const outcome = await lease.send(attempt, signal)
      if (outcome.expiresAtMs) seen.expiresAt.push(outcome.expiresAtMs)
      return outcome
    },
  })
  keeper.stopped.then((end) => (seen.stopped = end))
  await keeper.granted
  globalThis.sample = () => seen.samples.push([Date.now(), keeper.held(), seen.expiresAt.at(-1)])
  setInterval(sample, 20)
  // A hidden page's timers may be slow to come back.
  document.addEventListener('resume', () => sample(++seen.resumed))
}

/** Keeps a lease of 8 s in a page that is frozen for so long, and tells what the page saw. */
async function frozenFor(t, ms) {
  const { url } = await serve(t)
  const opened = await hiddenPage(t, await site(t, packageRoot, url))
  await opened.evaluate(`(${keepInPage})()`)
  assert.equal(await opened.evaluate('document.visibilityState'), 'hidden')
  // Chromium freezes no page that was in sight a moment ago.
  await sleep(1_500)
  await opened.send('Page.setWebLifecycleState', { state: 'frozen' })
  await sleep(ms)
  await opened.send('Page.setWebLifecycleState', { state: 'active' })
  await sleep(2_500)
  const seen = await opened.evaluate('sample(), seen')
  const gaps = seen.samples.slice(1).map(([at], index) => at - seen.samples[index][0])
  assert.ok(Math.max(...gaps) > ms * 0.9, `the page was frozen: ${Math.max(...gaps)} ms`)
  assert.equal(seen.resumed, 1)
  for (const [at, held, expiresAt] of seen.samples) {
    assert.ok(!held || at <= expiresAt, `held at ${at}, but expired at ${expiresAt}`)
  }
  return seen
}

describe('a frozen page', { concurrency: true }, () => {
  test('thawed before the lease ends, it renews at once', async (t) => {
    const seen = await frozenFor(t, 5_000)
    assert.equal(seen.stopped, null)
    assert.equal(seen.sends, 2)
    assert.equal(seen.samples.at(-1)[1], true)
    assert.ok(seen.reasons.includes('T6'), `${seen.reasons}`)
  })
  test('thawed after the lease has ended, it stops with its reason', async (t) => {
    const seen = await frozenFor(t, 14_000)
    assert.deepEqual(seen.stopped, { reason: 'reservation-expired', fence: null })
    assert.equal(seen.samples.at(-1)[1], false)
  })
})
