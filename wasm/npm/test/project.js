// What the tests share: the project's files, its server, and a browser.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

export const packageRoot = fileURLToPath(new URL('..', import.meta.url))
export const projectRoot = fileURLToPath(new URL('../../..', import.meta.url))
export const command = process.env.LEASEBEAT ?? join(projectRoot, 'target/debug/leasebeat')

/** All vectors: name, trace, expected lines. */
export function vectors() {
  const folder = join(projectRoot, 'tests/vectors')
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl') && !name.endsWith('.expected.jsonl'))
  const read = (name) => readFileSync(join(folder, name), 'utf8')
  return names.map((name) => ({
    name,
    trace: read(name),
    expected: read(name.replace('.jsonl', '.expected.jsonl')),
  }))
}

/** The decisions of a trace as `leasebeat replay` prints them; of an invalid configuration, without its message. */
export function decide({ replay, TraceError }, kernel, trace) {
  let lines = ''
  try {
    for (const { text } of replay(kernel, trace)) lines += `${text}\n`
  } catch (error) {
    if (!(error instanceof TraceError) || error.text === null) throw error
    lines += `${error.text.replace(/,"message":.*/, '}')}\n`
  }
  return lines
}

/** `leasebeat serve` on a free port, ended with the test. */
export async function serve(test, ...options) {
  if (!existsSync(command)) throw new Error(`${command} is missing: cargo build -p leasebeat-cli`)
  const child = spawn(command, ['serve', '--listen', '127.0.0.1:0', ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
  test.after(() => child.kill())
  const lines = createInterface(child.stdout)
  const requests = []
  const [first] = await once(lines, 'line')
  lines.on('line', (line) => requests.push(JSON.parse(line)))
  /** The first so many requests that the server has logged: a line may come after the answer it is about. */
  const logged = async (count) => {
    while (requests.length < count) await once(lines, 'line', { signal: AbortSignal.timeout(5_000) })
    return requests
  }
  return { url: JSON.parse(first).url, logged }
}

const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' }

/** Serves a folder, and hands `/v1` on to a server, so that a page needs no CORS. */
export async function site(test, folder, api) {
  const server = createServer(async (request, response) => {
    try {
      if (api && request.url.startsWith('/v1/')) {
        const body = await new Response(request).arrayBuffer()
        const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !/^(host|connection|content-length|transfer-encoding)$/.test(name)))
        const answer = await fetch(api + request.url, { method: request.method, headers, body })
        response.writeHead(answer.status, { 'content-type': 'application/json', ...(answer.headers.has('retry-after') && { 'retry-after': answer.headers.get('retry-after') }) })
        return response.end(Buffer.from(await answer.arrayBuffer()))
      }
      const path = new URL(request.url, 'http://x').pathname
      const body = path === '/' ? '<!doctype html><meta charset=utf-8><title>leasebeat</title>' : readFileSync(join(folder, path))
      response.writeHead(200, { 'content-type': types[path === '/' ? '.html' : extname(path)] ?? 'text/plain' })
      response.end(body)
    } catch (error) {
      // A connection that was lost behind us is one lost in front.
      if (error.code === 'ENOENT') response.writeHead(404).end()
      else request.socket.destroy()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  test.after(() => server.close())
  return `http://127.0.0.1:${server.address().port}`
}

export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
export const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

/** A page of a fresh Chromium. */
export async function page(test, url) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: quiet })
  test.after(() => browser.close())
  const opened = await browser.newPage()
  await opened.goto(url)
  return opened
}
