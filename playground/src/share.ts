// The whole state in the URL's fragment, so that a link shows what its sender sees and no server learns of it.
//
//   #v=1&ttl=60000&…&faults=503@150000,429@80000:5000      a setup: whole milliseconds
//   #v=1&trace=…                                           a recorded trace: deflated, in base64url

import { AMOUNT_MAX, FAULTS_MAX, kindNames, kinds, type Fault, type Kind } from './faults.js'
import { initial, policies, ranges, type Field, type Policy, type Setup } from './setup.js'

const VERSION = '1'
/** The longest trace that a link may unfold to. */
const TRACE_MAX = 1_000_000

export type Shared = { setup: Setup } | { trace: string }

export function written(setup: Setup): string {
  const { policy, says, seed } = setup
  const faults = setup.faults.map(({ kind, at, amount }) => `${kind}@${at}${kinds[kind].amount ? `:${amount}` : ''}`).join(',')
  const numbers = fields.map((field) => `${field}=${setup[field]}`).join('&')
  return `v=${VERSION}&${numbers}&policy=${policy}&says=${says ? 1 : 0}&seed=${seed}${faults && `&faults=${faults}`}`
}

export async function writtenTrace(trace: string): Promise<string> {
  const deflated = new Blob([trace]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  const bytes = new Uint8Array(await new Response(deflated).arrayBuffer())
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  return `v=${VERSION}&trace=${btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}

/**
 * What a fragment says.
 *
 * @throws Error in words, naming the key, where it is none of ours: then nothing of it counts.
 */
export async function read(fragment: string): Promise<Shared> {
  const pairs = new Map(fragment.split('&').map((pair) => [pair.split('=')[0]!, pair.slice(pair.indexOf('=') + 1)]))
  const version = pairs.get('v')
  if (version !== VERSION) throw new Error(version === undefined ? 'it has no version' : `its version is ${version}; this page reads ${VERSION}`)
  const trace = pairs.get('trace')
  if (trace !== undefined) return { trace: await inflated(trace) }
  const setup: Setup = { ...initial(), faults: [] }
  for (const [key, value] of pairs) if (key !== 'v') set(setup, key, value)
  if (setup.rtt > setup.slowest) throw new Error('rtt is above slowest')
  return { setup }
}

const fields = Object.keys(ranges) as Field[]

function set(setup: Setup, key: string, value: string): void {
  if (fields.includes(key as Field)) {
    const { least, most } = ranges[key as Field]
    setup[key as Field] = whole(key, value, least, most)
  } else if (key === 'policy') {
    if (!policies.includes(value as Policy)) throw new Error(`policy is ${value}; it must be ${policies.join(', ')}`)
    setup.policy = value as Policy
  } else if (key === 'says') setup.says = whole(key, value, 0, 1) === 1
  else if (key === 'seed') setup.seed = whole(key, value, 0, 2 ** 31 - 1)
  else if (key === 'faults') setup.faults = faults(value)
  else throw new Error(`it has an unknown key, ${key}`)
}

function faults(value: string): Fault[] {
  const each = value.split(',')
  if (each.length > FAULTS_MAX) throw new Error(`faults are more than ${FAULTS_MAX}`)
  return each.map((text) => {
    const [, kind, at, amount] = /^([a-z0-9-]+)@(\d+)(?::(\d+))?$/.exec(text) ?? []
    if (!kindNames.includes(kind as Kind)) throw new Error(`faults has ${text}, which is none`)
    const longest = kinds[kind as Kind].amount ? AMOUNT_MAX : 0
    return { kind: kind as Kind, at: whole('faults', at!, 0, ranges.work.most), amount: whole('faults', amount ?? '0', 0, longest) }
  })
}

function whole(key: string, value: string, least: number, most: number): number {
  const number = /^\d{1,10}$/.test(value) ? Number(value) : NaN
  if (number >= least && number <= most) return number
  throw new Error(`${key} is ${value}; it must be a whole number from ${least} to ${most}`)
}

async function inflated(text: string): Promise<string> {
  let bytes: Uint8Array<ArrayBuffer>
  try {
    bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
  } catch {
    throw new Error('trace is not base64url')
  }
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const decoder = new TextDecoder()
  let trace = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      trace += decoder.decode(part.value, { stream: true })
      if (trace.length > TRACE_MAX) break
    }
  } catch {
    throw new Error('trace is damaged')
  }
  void reader.cancel().catch(() => {})
  if (trace.length > TRACE_MAX) throw new Error(`trace is longer than ${TRACE_MAX} characters`)
  return trace
}
