// Answers decoded by the package as `leasebeat decode --explain` decodes them, with one for each thing that can be wrong.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import test from 'node:test'
import { load } from '../dist/entry/full.node.js'
import { command } from './project.js'

const extended = { status: 'ACTIVE', expires_at_ms: 1_785_585_660_000, remaining_ttl_ms: 60_000 }
const created = { decision: 'ALLOW', reservation_id: 'r\u00e9"\\/\u0001', affected_scopes: ['tenant:acme'], expires_at_ms: 1, remaining_ttl_ms: 60_000 }
const extend = (body, status = 200, retry_after = null) => ({ op: 'extend', status, retry_after, body: typeof body === 'string' ? body : JSON.stringify(body) })
const create = (body) => ({ ...extend(body), op: 'create' })
const nested = (depth) => `${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`

const answers = {
  extended: extend(extended),
  created: create(created),
  denied: create({ decision: 'DENY', affected_scopes: [] }),
  'above 2^53': extend(JSON.stringify(extended).replace('60000', '9223372036854775807')),
  refused: extend({ error: 'NOT_FOUND', message: '', request_id: '' }, 404),
  throttled: extend({ error: 'LIMIT_EXCEEDED' }, 429, ' 5\t'),
  'an unknown code': extend({ error: 'NEW' }, 503),
  'no header of seconds': extend('{}', 429, 'soon \u00b5'),
  status: extend('', 302),
  'another 2xx': extend(extended, 202),
  unfinished: extend('{"status":"ACTIVE"'),
  empty: extend(''),
  trailing: extend(`${JSON.stringify(extended)} x`),
  syntax: extend('{status}'),
  'too deep': { ...extend(nested(12)), unknown_keys: 'ignore' },
  'no UTF-8': { op: 'extend', status: 200, body_base64: Buffer.from([0x7b, 0x22, 0xff, 0x22]).toString('base64') },
  'a control character': extend('{"sta\ntus":1}'),
  'no escape': extend('{"\\x":1}'),
  'half a pair': extend('{"\\ud800":1}'),
  'not a string': extend({ ...extended, status: 1 }),
  'an unknown key': extend({ ...extended, extra: 1 }),
  'the same, ignored': { ...extend({ ...extended, extra: 1 }), unknown_keys: 'ignore' },
  'a key twice': extend('{"status":"ACTIVE","status":"ACTIVE"}'),
  'a key missing': extend({ status: 'ACTIVE' }),
  'none of the names': create({ ...created, decision: 'MAYBE' }),
  'too long': create({ ...created, reservation_id: 'x'.repeat(200) }),
  'too long a scope': create({ ...created, reason_code: 'x'.repeat(2_000) }),
  'no integer': extend({ ...extended, remaining_ttl_ms: 1.5 }),
  'outside int64': extend(JSON.stringify(extended).replace('60000', '9223372036854775808')),
  below: extend({ ...extended, remaining_ttl_ms: -1 }),
  'no reservation': create({ ...created, reservation_id: '' }),
  'no hash': create({ ...created, cycles_evidence: { evidence_id: 'zz', evidence_url: 'x' } }),
}

/** What the package says, as the command prints it. */
function printed(kernel, { op, status, retry_after, body, body_base64, unknown_keys = 'reject' }) {
  const bytes = body ?? Buffer.from(body_base64, 'base64')
  const decoded = kernel.decode(op, { status, retryAfter: retry_after, body: bytes }, { unknownKeys: unknown_keys })
  const { type, kind, ...rest } = decoded.outcome
  const line = { in: type }
  if (type === 'created') line.reservation_id = decoded.reservationId
  if (type === 'created' || type === 'extended') {
    line.remaining_ttl_ms = rest.remainingTtlMs
    line.expires_at_ms = rest.expiresAtMs
  }
  if (kind) line.kind = kind
  if (kind === 'http') Object.assign(line, { status: rest.status, code: rest.code, retry_after_ms: decoded.retryAfterMs })
  line.explain = decoded.problem
  // A BigInt is printed as the digits that it is.
  return JSON.stringify(line, (_, value) => (typeof value === 'bigint' ? `#${value}#` : value)).replace(/"#(\d+)#"/g, '$1')
}

test('answers are decoded as the command decodes them, and what is wrong has the same words', async () => {
  const kernel = await load()
  const input = Object.values(answers).map((answer) => JSON.stringify(answer)).join('\n')
  const output = execFileSync(command, ['decode', '--explain', '-'], { input, encoding: 'utf8' }).trimEnd().split('\n')
  assert.equal(output.length, Object.keys(answers).length)
  const words = new Set()
  for (const [index, [name, answer]] of Object.entries(answers).entries()) {
    // The pointer is the command's alone.
    const expected = output[index].replace(/"pointer":(?:null|"(?:[^"\\]|\\.)*"),/, '')
    assert.equal(printed(kernel, answer), expected, name)
    words.add(/"wrong":"([^"]*)"/.exec(expected)?.[1].replace(/\d+/g, ''))
  }
  assert.ok(words.size >= 21, [...words].join('\n'))
})
