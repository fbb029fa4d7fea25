// What a call costs beside a plain JavaScript function that computes the formula of a success (P1 to P4), in the same run: the bare
// expression, and one that checks what it is given. And what it costs to be ready. An object of JSON a line; figures to be read, never
// asserted: `npm run bench`.
import { spawnSync } from 'node:child_process'
import { load } from '../dist/entry/heartbeat.node.js'

const CALLS = 200_000
const ROUNDS = 15

/** The formula of a success on the primary path as a bare expression, and the decision it gives. */
function bare() {
  let maxRtt = 0
  return (event) => {
    const rtt = Math.ceil(event.rtt)
    maxRtt = Math.max(maxRtt, rtt)
    const lead = Math.max(0, event.remainingTtlMs - rtt)
    const budget = Math.max(10_000, 1_000, 2 * maxRtt)
    const delay = Math.max(0, lead - (2 * budget + Math.max(1_000, 2 * maxRtt)))
    return delay > 0 ? { action: 'wait', waitMs: delay, rule: 'P4' } : { action: 'send', rule: 'P5' }
  }
}

/** The same as one would write it by hand: the event is told by its type, and what it says is checked. */
function careful() {
  const decide = bare()
  const check = (field, value, whole) => {
    if (typeof value !== 'number' || !(value >= 0) || (whole && !Number.isSafeInteger(value))) throw new RangeError(`${field} is ${value}`)
  }
  return (event, now) => {
    if (event.type !== 'extended' && event.type !== 'created') throw new TypeError(`type is ${event.type}`)
    check('now', now, false)
    check('rtt', event.rtt, false)
    check('remainingTtlMs', event.remainingTtlMs, true)
    check('expiresAtMs', event.expiresAtMs, true)
    check('attempt', event.attempt, true)
    return decide(event)
  }
}

/** Nanoseconds a call. */
function time(call) {
  const start = process.hrtime.bigint()
  for (let index = 0; index < CALLS; index++) call(index)
  return Number(process.hrtime.bigint() - start) / CALLS
}

const kernel = await load()
let kept = 0
const event = (index, type, attempt) => ({ type, attempt, rtt: 100.5 + (index & 7), remainingTtlMs: 60_000 + (index & 15), expiresAtMs: 1_785_585_600_000 + index })

function cases() {
  const [simple, checked] = [bare(), careful()]
  const heartbeat = kernel.heartbeat({ extendByMs: 60_000, requestTimeoutMs: 10_000 })
  heartbeat.handle(event(0, 'created'), 0)
  let now = 0
  return {
    plain: time((index) => (kept += simple(event(index, 'extended', index)).waitMs)),
    careful: time((index) => (kept += checked(event(index, 'extended', index), index + 0.5).waitMs)),
    // Two calls: a beat that is due, and its success.
    due_and_success:
      time((index) => {
        now += 40_000.5
        const send = heartbeat.tick(now)
        kept += heartbeat.handle(event(index, 'extended', send.attempt), now).waitMs
      }) / 2,
    tick_that_waits: time(() => (kept += heartbeat.tick(now).waitMs)),
  }
}

cases()
const rounds = Array.from({ length: ROUNDS }, cases)
const sorted = (values) => values.sort((a, b) => a - b)
const median = (values) => sorted(values)[ROUNDS >> 1]
const times = Object.fromEntries(Object.keys(rounds[0]).map((name) => [name, sorted(rounds.map((round) => round[name]))]))
for (const [name, values] of Object.entries(times)) {
  const [ns_low, ns_per_call, ns_high] = [values[0], median(values), values[ROUNDS - 1]]
  console.log(JSON.stringify({ name, ns_per_call, ns_low, ns_high, ratio: ns_per_call / median(times.plain) }))
}

const first = `
const start = performance.now()
const { load } = await import('./dist/entry/heartbeat.node.js')
const imported = performance.now()
const kernel = await load()
kernel.heartbeat({ extendByMs: 60000 }).handle({ type: 'begin' }, performance.now())
console.log(imported - start, performance.now() - imported)`
const starts = Array.from({ length: ROUNDS }, () => spawnSync(process.execPath, ['--input-type=module', '--eval', first], { encoding: 'utf8' }).stdout.split(' ').map(Number))
for (const [index, name] of ['import', 'load and first decision'].entries()) {
  console.log(JSON.stringify({ name, ms: median(starts.map((one) => one[index])) }))
}
if (kept === 0) throw new Error('nothing was decided')
