// The picture: time goes right, the lead goes up.

import { svg } from '../dom.js'
import type { Kind } from '../faults.js'
import { held, type Run } from '../record.js'
import { instant, length } from '../words.js'
import { bars } from './bars.js'
import { faults, lane } from './faults.js'
import { leads, projection, zoneNames, zones } from './leads.js'
import { frame, marks } from './marks.js'
import { ticks, type Scale } from './scale.js'

export interface Look {
  /** What a click in the lane of faults adds. */
  tool: Kind
  isDead: boolean
  grabbed: number | null
}

export function draw(run: Run, scale: Scale, look: Look): SVGElement[] {
  return [
    definitions(),
    axes(scale),
    zones(run, scale),
    ...(run.truth ? [lane(run, scale, look.tool)] : []),
    leads(run, scale),
    zoneNames(run, scale, look.isDead),
    faults(run, scale, look.grabbed),
    end(run, scale),
    svg('g', { class: 'pointed' }),
    bars(run, scale),
    marks(run.steps, scale),
  ]
}

/** Shows in a drawn picture what is pointed at: a step, and an instant of its time in ms. */
export function point(chart: SVGSVGElement, run: Run, scale: Scale, current: number | null, pointer: number | null): void {
  const step = current == null ? undefined : run.steps[current]
  const cursor = pointer ?? step?.at
  const parts = [
    cursor == null ? null : svg('line', { class: 'cursor', x1: scale.x(cursor), x2: scale.x(cursor), y1: scale.plot.top, y2: scale.answered + 10 }),
    step ? frame('chosen', step.at, scale) : null,
    step ? projection(step, scale) : null,
  ]
  chart.querySelector('.pointed')?.replaceChildren(...parts.filter((part) => part != null))
  chart.querySelector('.step[tabindex="0"]')?.setAttribute('tabindex', '-1')
  chart.querySelector(`[data-step="${current ?? 0}"]`)?.setAttribute('tabindex', '0')
}

/** Hatchings, so that no zone is told by its colour alone. */
function definitions(): SVGElement {
  const hatch = (id: string, angle: number, gap: number) =>
    svg(
      'pattern',
      { id, width: gap, height: gap, patternUnits: 'userSpaceOnUse', patternTransform: `rotate(${angle})` },
      svg('rect', { class: 'ground', width: gap, height: gap }),
      svg('line', { y2: gap, class: 'stroke' }),
    )
  return svg('defs', {}, hatch('hatch-danger', 45, 6), hatch('hatch-suspend', 0, 5), hatch('hatch-partition', -45, 7), hatch('hatch-nothing', 45, 5))
}

function axes(scale: Scale): SVGElement {
  const group = svg('g', { class: 'axes' })
  for (const lead of ticks(scale.most, scale.isNarrow ? 3 : 5)) {
    const y = scale.y(lead)
    group.append(
      svg('line', { class: lead ? 'grid' : 'base', x1: scale.left, x2: scale.right, y1: y, y2: y }),
      svg('text', { x: scale.left - 6, y: y + 4, 'text-anchor': 'end' }, lead ? length(lead) : '0'),
    )
  }
  const room = Math.floor((scale.right - scale.left) / 64)
  for (const at of ticks(scale.until, Math.max(2, room))) {
    const x = scale.x(at)
    const anchor = x > scale.right - 16 ? 'end' : at === 0 ? 'start' : 'middle'
    group.append(
      svg('line', { class: 'tick', x1: x, x2: x, y1: scale.axis, y2: scale.axis + 5 }),
      svg('text', { x, y: scale.axis + 19, 'text-anchor': anchor }, clock(at)),
    )
  }
  group.append(
    svg('text', { x: scale.left - 12, y: scale.sent + 4, 'text-anchor': 'end' }, 'sent'),
    svg('text', { x: scale.left - 12, y: scale.answered + 4, 'text-anchor': 'end' }, scale.isNarrow ? 'ans.' : 'answer'),
  )
  return group
}

function clock(ms: number): string {
  return instant(ms).replace(/\.00$/, '').replace(/0$/, (zero) => (ms % 1_000 ? '' : zero))
}

/** Where the lease ended while it was still wanted. */
function end(run: Run, scale: Scale): SVGElement {
  const last = held(run).findLast(({ until }) => until < run.until)
  if (!last) return svg('g')
  const x = scale.x(last.until)
  const isLate = x > scale.right - 110
  return svg(
    'g',
    { class: 'lapse' },
    svg('line', { x1: x, x2: x, y1: scale.plot.top, y2: scale.bars.truth! + 24 }),
    svg('text', { x: isLate ? x - 6 : x + 6, y: scale.plot.top + 32, 'text-anchor': isLate ? 'end' : 'start' }, `lease ends ${instant(last.until)}`),
  )
}
