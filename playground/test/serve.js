// The built page from a plain static server, and Chromium to look at it.

import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'

const DIST = fileURLToPath(new URL('../dist', import.meta.url))
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' }

/** Serves dist/ on a free port, in a folder, as any static server would. */
export async function serve() {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, 'http://localhost').pathname).replace(/^\/some\/folder\/?/, '') || 'index.html'
    try {
      const body = await readFile(join(DIST, path))
      response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' }).end(body)
    } catch {
      response.writeHead(404).end()
    }
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}

/** Debian's Chromium, or the one that CHROMIUM names. */
export function browser() {
  const args = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']
  // Root has no sandbox.
  if (process.getuid?.() === 0) args.push('--no-sandbox')
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args })
}

/** Opens the page, and waits until it has decided. */
export async function open(context, origin, fragment = '') {
  const page = await context.newPage()
  await page.goto(`${origin}/some/folder/${fragment && `#${fragment}`}`)
  await page.waitForSelector('html[data-ready]')
  return page
}
