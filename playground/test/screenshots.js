// `npm run screenshots [FOLDER]`: the page at three widths, light and dark, and in its states. Without a folder, the one
// picture that docs/PLAYGROUND.md shows.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { browser, open, serve } from './serve.js'

const folder = process.argv[2]
const states = {
  usual: '',
  lapsed: 'v=1&ttl=60000&timeout=10000&rtt=80&slowest=400&work=240000&policy=adds&says=1&seed=1&faults=partition@90000:60000',
  dead: 'v=1&ttl=60000&timeout=30000&rtt=80&slowest=400&work=240000&policy=lead&lead=60000&says=1&seed=1',
  fieldless: 'v=1&ttl=60000&timeout=10000&rtt=80&slowest=400&work=240000&policy=lead&lead=30000&says=0&seed=1&faults=503@70000',
  suspend: 'v=1&ttl=60000&timeout=10000&rtt=200&slowest=2000&work=240000&policy=adds&says=1&seed=3&faults=suspend@70000:30000,429@150000:5000',
  dense: 'v=1&ttl=10000&timeout=2000&rtt=80&slowest=400&work=600000&policy=lead&lead=10000&says=1&seed=1&faults=503@70000,spike@300000:3000',
}

const { origin, close } = await serve()
const chromium = await browser()
const shoot = async (name, { width, height = 900, dark = false, state = 'usual', fullPage = true, path = join(folder, `${name}.png`) }) => {
  const context = await chromium.newContext({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', reducedMotion: 'reduce' })
  const page = await open(context, origin, states[state] ?? '')
  if (state === 'trace') {
    await page.locator('#trace-take').click()
    await page.locator('#trace-explain').click()
  }
  const chart = await page.locator('#chart').boundingBox()
  await page.mouse.move(chart.x + chart.width * 0.55, chart.y + 120)
  await page.waitForTimeout(100)
  await page.screenshot({ path, fullPage })
  await context.close()
}

if (folder) {
  mkdirSync(folder, { recursive: true })
  for (const width of [390, 820, 1440]) {
    for (const dark of [false, true]) await shoot(`usual-${width}-${dark ? 'dark' : 'light'}`, { width, dark })
  }
  for (const state of [...Object.keys(states).slice(1), 'trace']) {
    await shoot(`${state}-1440`, { width: 1440, state, fullPage: false })
    await shoot(`${state}-390`, { width: 390, height: 844, state, fullPage: false })
  }
} else {
  const path = fileURLToPath(new URL('../../docs/playground.png', import.meta.url))
  await shoot('', { width: 1120, height: 640, fullPage: false, path })
}
await chromium.close()
close()
