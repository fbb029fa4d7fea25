// The page: one state, drawn anew whenever it changes.

import { load, type Kernel } from 'leasebeat'
import { draw, point } from './chart/draw.js'
import { mark, type Mark } from './chart/marks.js'
import { scaled, type Scale } from './chart/scale.js'
import { Controls } from './controls.js'
import { byId, el, replace, svg } from './dom.js'
import type { Kind } from './faults.js'
import { explained, list, rulesOf } from './list.js'
import { forecast, type Forecast } from './plan.js'
import { pointing, type Pointed } from './pointing.js'
import { isDead, type Run } from './record.js'
import { initial, type Setup } from './setup.js'
import { share } from './sharing.js'
import { simulate } from './simulate.js'
import { theme } from './theme.js'
import { recorded, traced } from './traced.js'
import { tracing } from './tracing.js'
import { hasStopped, summary, verdict } from './words.js'

class Page {
  readonly #kernel: Kernel
  readonly #chart = document.querySelector<SVGSVGElement>('#chart')!
  readonly #controls: Controls
  readonly #link = share(
    (shared) => ('setup' in shared ? this.#set(shared.setup, false) : this.#explain(shared.trace, false)),
    () => (this.#trace == null ? { setup: this.#setup } : { trace: this.#trace }),
  )
  readonly #tracing
  #setup: Setup = initial()
  #trace: string | null = null
  #tool: Kind = '503'
  #run!: Run
  #forecast!: Forecast
  #scale!: Scale
  #pointed: Pointed = { indices: [], at: null }
  #grabbed: number | null = null

  constructor(kernel: Kernel) {
    this.#kernel = kernel
    this.#controls = new Controls({
      change: (setup) => this.#set(setup),
      pick: (tool) => {
        this.#tool = tool
        this.#update()
      },
    })
    this.#tracing = tracing({
      explain: (text) => this.#explain(text),
      leave: () => this.#set(this.#setup),
      take: () => recorded(simulate(this.#kernel, this.#setup), this.#setup),
    })
    pointing(this.#chart, {
      scale: () => this.#scale,
      run: () => this.#run,
      point: (pointed) => this.#point(pointed),
      addFault: (at) => this.#controls.add(at),
      moveFault: (index, at, isDone) => this.#moveFault(index, at, isDone),
      removeFault: (index) => this.#set({ ...this.#setup, faults: this.#setup.faults.toSpliced(index, 1) }),
    })
    legend()
    this.#update()
    new ResizeObserver(() => this.#look()).observe(this.#chart.parentElement!)
  }

  /** Follows the link that the page was opened with. */
  open(): Promise<void> {
    return this.#link.open()
  }

  #set(setup: Setup, isOurs = true): void {
    this.#setup = setup
    this.#trace = null
    this.#tracing.show(null, null)
    this.#update()
    if (isOurs) this.#link.changed({ setup })
  }

  #explain(text: string, isOurs = true): void {
    this.#trace = text
    this.#pointed = { indices: [], at: null }
    this.#update()
    if (isOurs) this.#link.changed({ trace: text })
  }

  #moveFault(index: number, at: number, isDone: boolean): void {
    const { faults, work } = this.#setup
    const fault = faults[index]
    if (!fault) return
    this.#grabbed = isDone ? null : index
    this.#set({ ...this.#setup, faults: faults.with(index, { ...fault, at: Math.min(work, Math.max(0, Math.round(at))) }) })
  }

  /** Decides everything anew, and shows it. */
  #update(): void {
    const isTrace = this.#trace != null
    this.#forecast = forecast(this.#kernel, this.#setup)
    if (this.#trace == null) {
      this.#run = simulate(this.#kernel, this.#setup)
      this.#verdict(verdict(this.#run, this.#setup))
    } else {
      const { run, error } = traced(this.#kernel, this.#trace)
      this.#run = run
      this.#tracing.show(this.#trace, error)
      const title = error && run.steps.length === 0 ? 'No trace' : 'A recorded trace'
      this.#verdict({ mood: error ? 'lapsed' : hasStopped(run) ? 'stopped' : 'kept', title, detail: error ? `Line ${error.line}: ${error.what}` : summary(run) })
    }
    document.body.classList.toggle('tracing', isTrace)
    this.#pointed.indices = this.#pointed.indices.filter((index) => index < this.#run.steps.length)
    this.#controls.show(this.#setup, this.#tool, this.#forecast)
    this.#look()
    list(byId('list'), this.#run, { current: this.#current, choose: (index) => this.#point({ indices: [index], at: null }) })
    replace(byId('rules'), ...rulesOf(this.#run))
  }

  #verdict({ mood, title, detail }: { mood: string; title: string; detail: string }): void {
    byId('verdict-box').dataset.mood = mood
    byId('verdict').textContent = title
    byId('verdict-detail').textContent = detail
  }

  get #current(): number | null {
    return this.#pointed.indices.at(-1) ?? null
  }

  #point(pointed: Pointed): void {
    const { indices, at } = this.#pointed
    if (at === pointed.at && String(indices) === String(pointed.indices)) return
    this.#pointed = pointed
    this.#show()
  }

  /** Draws what was decided. */
  #look(): void {
    const width = Math.max(240, Math.floor(this.#chart.parentElement!.clientWidth))
    this.#scale = scaled(this.#run, width)
    const { height } = this.#scale
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) this.#chart.setAttribute(name, String(value))
    const dead = isDead(this.#run)
    this.#chart.classList.toggle('is-dead', dead)
    this.#chart.classList.toggle('is-dense', this.#scale.size < 1)
    replace(this.#chart, ...draw(this.#run, this.#scale, { tool: this.#tool, isDead: dead, grabbed: this.#grabbed }))
    this.#show()
  }

  /** Explains what is pointed at. */
  #show(): void {
    point(this.#chart, this.#run, this.#scale, this.#current, this.#pointed.at)
    byId('explained').replaceChildren(...explained(this.#run, this.#pointed.indices, this.#pointed.at))
    for (const row of document.querySelectorAll<HTMLElement>('#list tr[data-row]')) {
      row.classList.toggle('current', Number(row.dataset.row) === this.#current)
    }
  }
}

function legend(): void {
  const names: [Mark, string][] = [
    ['beat', 'beat, fresh key'],
    ['retry', 'retry, same key'],
    ['success', 'success'],
    ['failure', 'failure'],
    ['stop', 'stop'],
    ['lost', 'timing lost'],
  ]
  const lines = [
    ['proved', 'M0 7H18', 'proved lead'],
    ['truth', 'M0 7H18', 'true lead'],
    ['fence', 'M9 2 14 7 9 12 4 7Z', 'fence'],
  ] as const
  const item = (drawn: SVGElement, name: string) => el('li', {}, svg('svg', { width: 18, height: 14, 'aria-hidden': 'true' }, drawn), name)
  byId('legend').append(
    ...lines.map(([kind, d, name]) => item(svg('path', { class: kind, d }), name)),
    ...names.map(([kind, name]) => item(mark(kind, 9, 7), name)),
  )
}

theme()
try {
  const page = new Page(await load())
  await page.open()
  document.documentElement.dataset.ready = 'true'
} catch (error) {
  byId('verdict').textContent = 'This page needs WebAssembly'
  byId('verdict-detail').textContent = String(error)
}
