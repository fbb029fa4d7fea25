// Chromium over a pipe of the DevTools protocol. Playwright keeps every page in focus, and a page in focus is not frozen.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CHROMIUM, quiet } from './project.js'

/** A page in a tab behind another: `evaluate` runs an expression in it, `send` a command. */
export async function hiddenPage(test, url) {
  const profile = mkdtempSync(join(tmpdir(), 'leasebeat-'))
  const options = ['--headless=new', '--remote-debugging-pipe', `--user-data-dir=${profile}`, ...quiet, 'about:blank']
  const child = spawn(CHROMIUM, options, { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] })
  test.after(async () => {
    const exited = once(child, 'exit')
    child.kill()
    await exited
    // Its helpers may write for a while yet; a profile left behind in the temporary folder is no failure of what is tested.
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }).catch(() => {})
  })
  const waiting = new Map()
  let text = ''
  child.stdio[4].on('data', (data) => {
    const messages = (text + data).split('\0')
    text = messages.pop()
    for (const message of messages.map((one) => JSON.parse(one))) waiting.get(message.id)?.(message)
  })
  let last = 0
  let sessionId
  const send = (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = ++last
      waiting.set(id, ({ result, error }) => (error ? reject(new Error(`${method}: ${error.message}`)) : resolve(result)))
      child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    })
  const { targetId } = await send('Target.createTarget', { url })
  const front = await send('Target.createTarget', { url: 'about:blank' })
  await send('Target.activateTarget', front)
  sessionId = (await send('Target.attachToTarget', { targetId, flatten: true })).sessionId
  const evaluate = async (expression) => {
    const { result, exceptionDetails } = await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true })
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
    return result.value
  }
  const loaded = `document.readyState === 'complete' && location.origin === ${JSON.stringify(new URL(url).origin)}`
  while (!(await evaluate(loaded))) await sleep(20)
  return { send, evaluate }
}
