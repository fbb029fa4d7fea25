// The decisions in words: the one that is pointed at, all of them in order, and the rules they follow.

import type { Rule } from 'leasebeat'
import { el, replace } from './dom.js'
import type { Run, Step } from './record.js'
import { sentence } from './rules.js'
import { decided, happened, instant, length } from './words.js'

const ROWS = 200

/** What was decided at one point of the picture: the decisions close to it, the last of which is in force. */
export function explained(run: Run, indices: readonly number[], pointer: number | null): Node[] {
  const steps = indices.flatMap((index) => run.steps[index] ?? [])
  const last = steps.at(-1)
  if (!last) return [el('p', { class: 'quiet' }, 'Point at the picture, or step through it with the arrow keys, to see why.')]
  const at = pointer ?? last.at
  const lead = last.fence == null ? null : Math.max(0, last.fence - at)
  const state = lead == null ? 'nothing is proved' : lead ? `${length(lead)} of lead proved` : 'no proved lead is left'
  return [el('p', { class: 'when' }, el('strong', {}, instant(at)), ` ${state}`), ...steps.map((step, index) => because(step, step.why?.rule !== steps[index + 1]?.why?.rule))]
}

function because({ event, decision, why, text }: Step, withRule: boolean): Node {
  if (!decision || !why) return el('div', { class: 'because' }, el('p', {}, happened(event), ' → ', el('code', {}, text)))
  return el(
    'div',
    { class: 'because' },
    el('p', { class: 'decision' }, el('span', { class: 'event' }, `${happened(event)} → `), el('strong', {}, decided(decision))),
    el('p', { class: 'why' }, why.text),
    withRule && el('p', { class: 'rule' }, el('a', { href: `#rule-${why.rule}` }, why.rule), ' ', ...sentence(why.rule)),
  )
}

export interface Listing {
  current: number | null
  choose(index: number): void
}

/** All decisions in a table, the first of a great many at once. */
export function list(into: Element, run: Run, listing: Listing, all = false): void {
  const isTrace = run.truth == null
  const shown = all ? run.steps : run.steps.slice(0, ROWS)
  const heads = [isTrace ? 'Line' : 'No.', 'Time', 'What happened', 'Decision', 'Why', 'Rule']
  const rows = shown.map((step, index) => row(step, index, listing))
  const table = el(
    'table',
    {},
    el('caption', { class: 'quiet' }, isTrace ? 'The trace, line by line.' : 'The run above, decision by decision.'),
    el('thead', {}, el('tr', {}, ...heads.map((head) => el('th', { scope: 'col' }, head)))),
    el('tbody', {}, ...rows),
  )
  const rest = run.steps.length - shown.length
  const more = el('button', { type: 'button' }, `Show ${rest} more`)
  more.addEventListener('click', () => list(into, run, listing, true))
  replace(into, table, ...(rest > 0 ? [more] : []))
}

function row({ line, at, event, decision, text, why }: Step, index: number, { current, choose }: Listing): HTMLElement {
  const cells: (Node | string)[] = [
    String(line ?? index + 1),
    instant(at),
    happened(event),
    line == null && decision ? decided(decision) : el('code', {}, text),
    why?.text ?? 'This event cannot happen now. Nothing has changed.',
    why ? el('a', { href: `#rule-${why.rule}`, 'data-key': `row-${index}` }, why.rule) : '',
  ]
  const action = decision ? decision.action : 'misuse'
  const made = el('tr', { class: index === current ? `${action} current` : action, 'data-row': index }, ...cells.map((content) => el('td', {}, content)))
  made.addEventListener('pointerenter', (event) => event.pointerType === 'mouse' && choose(index))
  made.addEventListener('focusin', () => choose(index))
  return made
}

/** The sentences of the rules that a run's decisions follow. */
export function rulesOf({ steps }: Run): HTMLElement[] {
  const used = [...new Set(steps.flatMap(({ why }) => (why ? [why.rule] : [])))].sort()
  return used.flatMap((rule: Rule) => [el('dt', { id: `rule-${rule}`, tabindex: -1 }, rule), el('dd', {}, ...sentence(rule))])
}
