// The lead over time: what is true, what is proved, and what it must not fall below.

import { svg } from '../dom.js'
import type { Run, Step } from '../record.js'
import type { Scale } from './scale.js'

interface Level {
  from: number
  until: number
  danger: number
  reserve: number
}

/** The levels that each decision was made by, as long as they stood. Those that are without bound are none. */
function levels({ steps, until }: Run): Level[] {
  const result: Level[] = []
  for (const [index, { at, fence, why }] of steps.entries()) {
    const numbers = why?.numbers
    if (numbers?.path !== 'primary' || numbers.attemptBudgetMs == null || numbers.retryReserveMs == null) continue
    const [danger, reserve] = [numbers.attemptBudgetMs + numbers.safetyMarginMs, numbers.retryReserveMs]
    // Where nothing is proved nothing is in danger.
    const [last, next] = [result.at(-1), Math.min(fence ?? at, steps[index + 1]?.at ?? until)]
    if (last && last.danger === danger && last.reserve === reserve && last.until === at) last.until = next
    else if (next > at) result.push({ from: at, until: next, danger, reserve })
  }
  return result
}

export function zones(run: Run, scale: Scale): SVGElement {
  const all = levels(run)
  const group = svg('g', { class: 'zones' })
  const band = (name: string, level: Level, low: number, high: number) => {
    const [top, bottom] = [scale.y(high), scale.y(low)]
    if (bottom - top < 0.5) return
    const place = { x: scale.x(level.from), y: top, width: scale.x(level.until) - scale.x(level.from), height: bottom - top }
    group.append(svg('rect', { class: name, ...place }))
  }
  for (const level of all) {
    band('reserve', level, level.danger, level.reserve)
    band('danger', level, 0, level.danger)
    for (const [name, lead] of [['reserve', level.reserve], ['danger', level.danger]] as const) {
      if (lead < scale.most) {
        const y = scale.y(lead)
        group.append(svg('line', { class: `${name}-line`, x1: scale.x(level.from), x2: scale.x(level.until), y1: y, y2: y }))
      }
    }
  }
  return group
}

/** What the zones are, written into them where the picture begins, as the lead is far above them there; the dead zone beside it. */
export function zoneNames(run: Run, scale: Scale, isDead: boolean): SVGElement {
  const group = svg('g', { class: 'names' })
  const [first] = levels(run)
  if (!first) return group
  const end = scale.x(first.until)
  const x = isDead && end < scale.right - 60 ? end + 8 : scale.left + 8
  const name = (text: string, lead: number) => {
    const y = Math.max(scale.y(lead) + 14, scale.plot.top + 14)
    group.append(svg('text', { x, y }, text))
  }
  const [narrow, room] = [scale.isNarrow, scale.y(first.danger) - scale.y(first.reserve)]
  const dead = narrow ? 'dead zone' : 'dead zone: no lead reaches beyond the reserve'
  if (isDead) name(dead, scale.most)
  else if (room > 16) name(narrow ? 'reserve' : 'reserve: a beat is due, a retry still fits', first.reserve)
  if (scale.plot.bottom - scale.y(first.danger) > (isDead ? 34 : 16)) {
    name(narrow ? 'danger' : 'danger: a failure here is final', Math.min(first.danger, scale.most * (isDead ? 0.5 : 1)))
  }
  return group
}

interface Fall {
  from: number
  until: number
  /** When it would reach 0. */
  end: number
}

/** A lead that falls by a second each second, and jumps. */
function sawtooth(falls: Fall[], scale: Scale): { line: string; area: string } {
  let [line, area, before] = ['', '', -1]
  for (const { from, until, end } of falls) {
    if (until <= from) continue
    const [x1, y1, x2, y2] = [scale.x(from), scale.y(end - from), scale.x(until), scale.y(end - until)]
    line += `${from === before ? 'L' : 'M'}${x1} ${y1}L${x2} ${y2}`
    area += `M${x1} ${scale.plot.bottom}L${x1} ${y1}L${x2} ${y2}L${x2} ${scale.plot.bottom}Z`
    before = until
  }
  return { line, area }
}

export function leads(run: Run, scale: Scale): SVGElement {
  const { steps, truth, until } = run
  const provedFalls = steps.map(({ at, fence }, index) => ({ from: at, until: Math.min(fence ?? at, steps[index + 1]?.at ?? until), end: fence ?? at }))
  const trueFalls = (truth ?? []).map(({ at, expires }, index) => ({ from: at, until: Math.min(expires, truth![index + 1]?.at ?? until), end: expires }))
  const proved = sawtooth(provedFalls, scale)
  const fences = new Set(steps.flatMap(({ fence }) => (fence != null && fence <= until ? [fence] : [])))
  return svg(
    'g',
    { class: 'leads' },
    svg('path', { class: 'proved-area', d: proved.area }),
    truth && svg('path', { class: 'truth', d: sawtooth(trueFalls, scale).line }),
    svg('path', { class: 'proved', d: proved.line }),
    ...[...fences].map((fence) => fenceMark(scale, fence, scale.size)),
  )
}

/** Until when the lease is proved unless it is renewed. */
export function fenceMark(scale: Scale, fence: number, size = 1): SVGElement {
  return svg('path', { class: 'fence', transform: `translate(${scale.x(fence)} ${scale.plot.bottom}) scale(${size})`, d: 'M0-5 5 0 0 5-5 0Z' })
}

/** Where the lead of one step goes if nothing renews it: through the danger, to the fence. */
export function projection({ at, fence, danger, lead }: Step, scale: Scale): SVGElement | null {
  if (fence == null || fence <= at) return null
  const note = (time: number, text: string, y: number) => {
    const x = scale.x(time)
    const anchor = x > scale.right - 60 ? 'end' : x < scale.left + 40 ? 'start' : 'middle'
    return svg('text', { class: 'note', x, y, 'text-anchor': anchor }, text)
  }
  const seen = danger != null && danger > at && danger <= scale.until ? danger : null
  const end = Math.min(fence, scale.until)
  return svg(
    'g',
    { class: 'projection' },
    svg('line', { x1: scale.x(at), y1: scale.y(lead), x2: scale.x(end), y2: scale.y(fence - end) }),
    seen != null && svg('circle', { class: 'danger-mark', cx: scale.x(seen), cy: scale.y(fence - seen), r: 4.5 }),
    seen != null && note(seen, 'danger', scale.y(fence - seen) - 9),
    fence <= scale.until && fenceMark(scale, fence),
    fence <= scale.until && note(fence, 'fence', scale.plot.bottom - 9),
  )
}
