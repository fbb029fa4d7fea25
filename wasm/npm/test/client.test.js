// A plain client of the Cycles REST API, as the official ones are at their lowest level, driven by the kernel in a host's
// own loop. The official TypeScript client is called runcycles, which the npm registry does not have (tried in November
// 2026); this has its method's shape: extendReservation(id, body) gives status, headers and body.
import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { load } from '../dist/entry/full.node.js'
import { serve } from './project.js'

class Client {
  constructor(url) {
    this.url = url
  }
  createReservation = (body) => this.#post('/v1/reservations', body)
  extendReservation = (id, body) => this.#post(`/v1/reservations/${id}/extend`, body)
  async #post(path, body) {
    const headers = { 'Content-Type': 'application/json', 'X-Cycles-API-Key': 'demo-key' }
    const response = await fetch(this.url + path, { method: 'POST', headers, body: JSON.stringify(body), signal: AbortSignal.timeout(1_000) })
    return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.text() }
  }
}

test('a client of one\'s own, driven by the kernel through a lost answer', async (t) => {
  const { url, logged } = await serve(t, '--fault', 'extend:1=lost-response')
  const [client, kernel] = [new Client(url), await load()]
  const heartbeat = kernel.heartbeat({ extendByMs: 6_000, requestTimeoutMs: 1_500 })
  let decision = heartbeat.handle({ type: 'begin' }, performance.now())
  let id
  while (decision.action !== 'stop') {
    if (decision.action === 'wait') {
      if (heartbeat.stats.extensions === 1) break
      await sleep(decision.waitMs)
      decision = heartbeat.tick(performance.now())
      continue
    }
    const { operation, attempt, keyGeneration, extendByMs } = decision
    const sent = performance.now()
    let outcome
    try {
      const idempotency_key = `key-${keyGeneration}`
      const answer = operation === 'create'
        ? await client.createReservation({ idempotency_key, subject: { tenant: 'demo' }, action: { kind: 'llm.completion', name: 'test' }, estimate: { unit: 'TOKENS', amount: 1 }, ttl_ms: extendByMs })
        : await client.extendReservation(id, { idempotency_key, extend_by_ms: extendByMs })
      const decoded = kernel.decode(operation, answer)
      id ??= decoded.reservationId
      outcome = decoded.outcome
    } catch (error) {
      outcome = { type: 'failed', kind: error.name === 'TimeoutError' ? 'timeout' : 'connection' }
    }
    const now = performance.now()
    decision = heartbeat.handle({ ...outcome, attempt, rtt: now - sent }, now)
  }
  assert.equal(decision.action, 'wait')
  assert.deepEqual(heartbeat.stats, { attempts: 3, retries: 1, extensions: 1, failures: 1 })
  assert.deepEqual((await logged(3)).map(({ key, replayed }) => [key, replayed]), [['key-1', false], ['key-2', false], ['key-2', true]])
})
