// The sliders, the server's policy and the faults.

import { byId, el, replace } from './dom.js'
import { AMOUNT_MAX, FAULTS_MAX, kindNames, kinds, type Fault, type Kind } from './faults.js'
import type { Forecast } from './plan.js'
import { change, ranges, type Field, type Policy, type Setup } from './setup.js'
import { length, zone } from './words.js'

interface About {
  label: string
  /** How many ms one of its number's units is. */
  unit: 's' | 'ms'
}

const about: Record<Field, About> = {
  ttl: { label: 'Lease (TTL)', unit: 's' },
  timeout: { label: 'Request timeout', unit: 's' },
  rtt: { label: 'Round trip, typical', unit: 'ms' },
  slowest: { label: 'Round trip, slowest', unit: 'ms' },
  work: { label: 'The work lasts', unit: 's' },
  clamp: { label: 'One extension adds at most', unit: 's' },
  lead: { label: 'Expiry at most ahead', unit: 's' },
}

const policyNames: Record<Policy, string> = {
  adds: 'adds each extension to the expiry',
  clamp: 'clamps what one extension adds',
  lead: 'limits how far ahead the expiry lies',
}

/** What the controls do. */
export interface Acts {
  change(setup: Setup): void
  pick(tool: Kind): void
}

/** Round numbers from `least` to `most`, about as far apart as they can be told apart on a slider. */
export function stops(least: number, most: number): number[] {
  const result = new Set<number>([least, most])
  for (let decade = 1; decade <= most; decade *= 10) {
    for (let tenths = 10; tenths < 100; tenths += tenths < 20 ? 1 : tenths < 50 ? 2 : 5) {
      const value = Math.round((decade * tenths) / 10)
      if (value >= least && value <= most) result.add(value)
    }
  }
  return [...result].sort((a, b) => a - b)
}

export class Controls {
  readonly #form: HTMLFormElement
  readonly #acts: Acts
  readonly #stops = new Map<Field, number[]>()
  readonly #kind: HTMLElement
  readonly #faults = el('ul', { class: 'faults' })
  readonly #hint = el('p', { class: 'hint', id: 'tool-hint' })
  readonly #zone = el('p', { class: 'zone', id: 'zone', 'aria-live': 'polite' })
  readonly #at = el('input', { type: 'number', id: 'fault-at', min: 0, step: 'any', inputmode: 'decimal' })
  #setup!: Setup
  #tool!: Kind

  constructor(acts: Acts) {
    this.#form = byId('controls')
    this.#acts = acts
    this.#kind = el('div', { class: 'chips', role: 'radiogroup', 'aria-label': 'Kind of fault', 'aria-describedby': 'tool-hint' })
    for (const kind of kindNames) this.#kind.append(this.#choice('tool', kind, kinds[kind].label, () => acts.pick(kind)))
    const add = el('button', { type: 'button', id: 'fault-add' }, 'Add')
    add.addEventListener('click', () => this.add(Number(this.#at.value) * 1_000))
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault()
      if (document.activeElement === this.#at) add.click()
    })
    const again = el('button', { type: 'button', id: 'again' }, 'Other round trips')
    again.addEventListener('click', () => acts.change({ ...this.#setup, seed: this.#setup.seed + 1 }))
    const adder = el('p', { class: 'adder' }, el('label', { for: 'fault-at' }, 'at'), this.#at, el('span', {}, 's'), add)
    this.#form.append(
      el('fieldset', {}, el('legend', {}, 'Lease and network'), ...this.#sliders('ttl', 'timeout'), this.#zone, ...this.#sliders('rtt', 'slowest', 'work'), again),
      el('fieldset', {}, el('legend', {}, 'The server'), ...this.#server()),
      el('fieldset', {}, el('legend', {}, 'Faults'), this.#kind, this.#hint, adder, this.#faults),
    )
  }

  /** Adds a fault of the chosen kind. */
  add(at: number): void {
    const { faults, work } = this.#setup
    if (faults.length >= FAULTS_MAX || !(at >= 0)) return
    const fault = { kind: this.#tool, at: Math.min(Math.round(at), work), amount: kinds[this.#tool].usual }
    this.#acts.change({ ...this.#setup, faults: [...faults, fault] })
  }

  /** Shows a setup. What the reader is typing into is left alone. */
  show(setup: Setup, tool: Kind, forecast: Forecast): void {
    if (this.#setup === undefined || this.#at.value === '') this.#at.value = String(Math.round(setup.work / 2_000))
    ;[this.#setup, this.#tool] = [setup, tool]
    for (const field of Object.keys(ranges) as Field[]) this.#showField(field, setup[field])
    this.#check('tool', tool)
    this.#check('policy', setup.policy)
    this.#find('says').checked = setup.says
    this.#row('clamp').hidden = setup.policy !== 'clamp'
    this.#row('lead').hidden = setup.policy !== 'lead'
    this.#hint.textContent = `${kinds[tool].what} Click in the lane above the picture, or give a time.`
    this.#zone.textContent = zone(forecast, setup)
    this.#zone.classList.toggle('dead', forecast.isDead)
    this.#shade('timeout', setup.says ? (forecast.safeTimeout ?? 0) : Infinity, 'above')
    this.#shade('ttl', setup.says ? (forecast.safeTtl ?? ranges.ttl.most) : 0, 'below')
    replace(this.#faults, ...setup.faults.map((fault, index) => this.#fault(fault, index)))
  }

  #sliders(...fields: Field[]): HTMLElement[] {
    return fields.map((field) => {
      const { label, unit } = about[field]
      const each = stops(ranges[field].least, ranges[field].most)
      this.#stops.set(field, each)
      const slider = el('input', { type: 'range', id: `${field}-slider`, min: 0, max: each.length - 1, step: 1, 'aria-label': label })
      const number = el('input', { type: 'number', id: field, step: 'any', inputmode: 'decimal', 'aria-describedby': `${field}-wrong` })
      const wrong = el('span', { class: 'wrong', id: `${field}-wrong` })
      const per = unit === 's' ? 1_000 : 1
      const { least, most } = ranges[field]
      slider.addEventListener('input', () => this.#acts.change(change(this.#setup, field, each[slider.valueAsNumber]!)))
      number.addEventListener('input', () => {
        const value = number.value === '' ? NaN : Math.round(number.valueAsNumber * per)
        const isFine = value >= least && value <= most
        wrong.textContent = isFine ? '' : `From ${least / per} to ${most / per} ${unit}.`
        number.setAttribute('aria-invalid', String(!isFine))
        if (isFine) this.#acts.change(change(this.#setup, field, value))
      })
      // What is out of range is not kept: the last good value comes back.
      number.addEventListener('change', () => {
        wrong.textContent = ''
        number.removeAttribute('aria-invalid')
        number.value = String(this.#setup[field] / per)
      })
      return el(
        'div',
        { class: 'field', id: `${field}-row` },
        el('label', { for: field }, label),
        el('span', { class: 'number' }, number, el('span', { class: 'unit' }, unit)),
        slider,
        wrong,
      )
    })
  }

  #server(): HTMLElement[] {
    const choices = (Object.keys(policyNames) as Policy[]).map((policy) =>
      this.#choice('policy', policy, policyNames[policy], () => this.#acts.change({ ...this.#setup, policy })),
    )
    const says = el('input', { type: 'checkbox', id: 'says' })
    says.addEventListener('change', () => this.#acts.change({ ...this.#setup, says: says.checked }))
    return [
      el('div', { class: 'choices', role: 'radiogroup', 'aria-label': 'Policy' }, ...choices),
      ...this.#sliders('clamp', 'lead'),
      el('label', { class: 'choice' }, says, el('span', {}, 'says what remains (remaining_ttl_ms)')),
    ]
  }

  #choice(name: string, value: string, label: string, chosen: () => void): HTMLElement {
    const input = el('input', { type: 'radio', name, value })
    input.addEventListener('change', chosen)
    return el('label', { class: 'choice' }, input, el('span', {}, label))
  }

  #fault(fault: Fault, index: number): HTMLElement {
    const { label, amount } = kinds[fault.kind]
    const edit = (what: 'at' | 'amount', name: string) => {
      const key = `fault-${what}-${index}`
      const most = what === 'at' ? this.#setup.work : AMOUNT_MAX
      const input = el('input', { type: 'number', id: key, 'data-key': key, value: fault[what] / 1_000, min: 0, step: 'any', inputmode: 'decimal', 'aria-label': `${label}: ${name}, in seconds` })
      input.addEventListener('change', () => {
        const value = Math.min(most, Math.max(0, Math.round(input.valueAsNumber * 1_000)))
        const faults = this.#setup.faults.with(index, { ...fault, [what]: Number.isNaN(value) ? fault[what] : value })
        this.#acts.change({ ...this.#setup, faults })
      })
      return el('span', { class: 'number' }, el('span', { class: 'unit' }, name), input, el('span', { class: 'unit' }, 's'))
    }
    const remove = el('button', { type: 'button', class: 'remove', 'data-key': `fault-remove-${index}`, 'aria-label': `Remove ${label} at ${fault.at / 1_000} s` }, 'Remove')
    remove.addEventListener('click', () => this.#acts.change({ ...this.#setup, faults: this.#setup.faults.toSpliced(index, 1) }))
    return el('li', {}, el('span', { class: 'kind' }, label), edit('at', 'at'), amount && edit('amount', amount), remove)
  }

  #showField(field: Field, value: number): void {
    const each = this.#stops.get(field)!
    const [number, slider] = [this.#find(field), this.#find(`${field}-slider`)]
    if (document.activeElement !== number) number.value = String(value / (about[field].unit === 's' ? 1_000 : 1))
    const index = each.findIndex((stop) => stop >= value)
    if (each[slider.valueAsNumber] !== value) slider.value = String(index)
    slider.setAttribute('aria-valuetext', length(value))
  }

  /** Marks the part of a slider on which there is no cadence. */
  #shade(field: Field, bound: number, side: 'above' | 'below'): void {
    const each = this.#stops.get(field)!
    const first = each.findIndex((stop) => stop > bound)
    const part = first < 0 ? 1 : Math.max(0, first - 0.5) / (each.length - 1)
    const slider = this.#find(`${field}-slider`)
    slider.classList.add('shaded')
    slider.style.setProperty('--dead-from', side === 'above' ? `${part * 100}%` : '0%')
    slider.style.setProperty('--dead-to', side === 'above' ? '100%' : `${part * 100}%`)
  }

  #check(name: string, value: string): void {
    for (const input of this.#form.querySelectorAll<HTMLInputElement>(`input[name="${name}"]`)) input.checked = input.value === value
  }

  #find(id: string): HTMLInputElement {
    return this.#form.querySelector<HTMLInputElement>(`#${id}`)!
  }

  #row(field: Field): HTMLElement {
    return this.#form.querySelector<HTMLElement>(`#${field}-row`)!
  }
}
