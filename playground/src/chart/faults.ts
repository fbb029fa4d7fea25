// The lane in which faults are set, and what they do to the time below it.

import { svg } from '../dom.js'
import { kinds, type Kind } from '../faults.js'
import type { Run } from '../record.js'
import { instant, length } from '../words.js'
import type { Scale } from './scale.js'

/** As short as a narrow screen needs them. */
export const tags: Record<Kind, string> = {
  'lost-request': 'req ✕',
  'lost-response': 'resp ✕',
  '503': '503',
  '429': '429',
  spike: 'slow',
  suspend: 'sleep',
  partition: 'parted',
}

export function lane(run: Run, scale: Scale, tool: Kind): SVGElement {
  const text = scale.isNarrow ? `Tap here: ${kinds[tool].label}` : `Click in this lane to add a fault: ${kinds[tool].label}`
  // Wherever it is not in a fault's way.
  const width = text.length * 7 + 16
  const taken = (from: number, until: number) =>
    run.faults.some(({ fault }) => scale.x(fault.at) < until && scale.x(fault.at + (kinds[fault.kind].lasts ? fault.amount : 0)) + 50 > from)
  const isLeft = !taken(scale.left, scale.left + width)
  const hint = isLeft || !taken(scale.right - width, scale.right)
  const place = { x: scale.left, y: scale.lane.top, width: scale.right - scale.left, height: scale.lane.bottom - 4, rx: 4 }
  return svg(
    'g',
    { class: 'lane' },
    svg('rect', place),
    hint && svg('text', { x: isLeft ? scale.left + 8 : scale.right - 8, y: scale.lane.top + 18, 'text-anchor': isLeft ? 'start' : 'end' }, text),
  )
}

export function faults(run: Run, scale: Scale, grabbed: number | null): SVGElement {
  const group = svg('g', { class: 'faults', role: 'group', 'aria-label': 'Faults: arrow keys move one, Delete removes it' })
  for (const [index, { fault, struck }] of run.faults.entries()) {
    const { kind, at, amount } = fault
    const about = kinds[kind]
    const [x, end] = [scale.x(at), scale.x(about.lasts ? at + amount : at)]
    const tag = tags[kind]
    const width = Math.max(12 + tag.length * 6.4, end - x)
    const place = Math.min(x, scale.right - width)
    const does = about.lasts ? `for ${length(amount)}` : struck == null ? 'strikes nothing' : `strikes the attempt at ${instant(struck)}`
    group.append(
      about.lasts
        ? svg('rect', { class: `span ${kind}`, x, y: scale.lane.bottom - 4, width: Math.max(1, end - x), height: scale.answered + 10 - scale.lane.bottom })
        : svg('path', { class: struck == null ? 'wire idle' : 'wire', d: `M${x} ${scale.lane.bottom - 6}V${scale.plot.top - 2}${struck == null ? '' : `L${scale.x(struck)} ${scale.plot.top + 6}V${scale.sent - 8}`}` }),
      svg(
        'g',
        {
          class: index === grabbed ? 'fault grabbed' : 'fault',
          role: 'button',
          tabindex: 0,
          'data-key': `fault-${index}`,
          'data-fault': index,
          'aria-label': `${about.label} at ${instant(at)}, ${does}`,
        },
        svg('rect', { x: place, y: scale.lane.top + 2, width, height: 24, rx: 4 }),
        svg('text', { x: place + width / 2, y: scale.lane.top + 18, 'text-anchor': 'middle' }, tag),
      ),
    )
  }
  return group
}
