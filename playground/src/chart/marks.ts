// Attempts, outcomes and stops, told apart by their shapes and only then by their colours.

import { svg } from '../dom.js'
import type { Step } from '../record.js'
import { decided, happened, instant } from '../words.js'
import type { Scale } from './scale.js'

export type Mark = 'beat' | 'retry' | 'success' | 'failure' | 'stop' | 'lost'

/** One mark around a point, as it stands in the picture and in its legend. */
export function mark(kind: Mark, x: number, y: number, size = 1): SVGElement {
  const at = (points: string) => ({ class: `mark ${kind}`, transform: `translate(${x} ${y})${size < 1 ? ` scale(${size})` : ''}`, d: points })
  switch (kind) {
    case 'beat':
      return svg('path', at('M0-6 6 5H-6Z'))
    case 'retry':
      return svg('path', at('M0-5 5 4H-5Z'))
    case 'success':
      return svg('path', at('M0-4.5A4.5 4.5 0 1 1 0 4.5 4.5 4.5 0 1 1 0-4.5'))
    case 'failure':
      return svg('path', at('M-4.5-4.5 4.5 4.5M4.5-4.5-4.5 4.5'))
    case 'stop':
      return svg('path', at('M-5-5H5V5H-5Z'))
    case 'lost':
      return svg('path', at('M3-6A6 6 0 1 0 6 3 5 5 0 0 1 3-6Z'))
  }
}

function outcome({ event }: Step): Mark | null {
  if (event.type === 'created' || event.type === 'extended') return 'success'
  if (event.type === 'failed' || event.type === 'denied') return 'failure'
  return event.type === 'timing-lost' ? 'lost' : null
}

function action({ decision }: Step): Mark | null {
  if (decision?.action === 'send') return decision.key === 'same' ? 'retry' : 'beat'
  return decision?.action === 'stop' ? 'stop' : null
}

/** What stands around a decision. */
export function frame(kind: 'halo' | 'chosen', at: number, scale: Scale): SVGElement {
  return svg('rect', { class: kind, x: scale.x(at) - 9, y: scale.sent - 10, width: 18, height: scale.answered - scale.sent + 20, rx: 4 })
}

/** Every decision as something to point at, and to walk through with the arrow keys: the tab key stops at one only. */
export function marks(steps: readonly Step[], scale: Scale): SVGElement {
  const flights = svg('g', { class: 'flights' })
  const group = svg('g', { class: 'steps', role: 'group', 'aria-label': 'Decisions: the arrow keys step through them' })
  let sent: number | null = null
  for (const [index, step] of steps.entries()) {
    const x = scale.x(step.at)
    const [what, does] = [outcome(step), action(step)]
    if (what && what !== 'lost' && sent != null) {
      flights.append(svg('line', { class: what, x1: scale.x(sent), y1: scale.sent, x2: x, y2: scale.answered }))
    }
    if (what === 'success' || what === 'failure') sent = null
    if (does && does !== 'stop') sent = step.at
    const text = step.decision ? decided(step.decision) : 'this cannot happen now'
    group.append(
      svg(
        'g',
        {
          class: 'step',
          role: 'button',
          tabindex: -1,
          'data-key': `step-${index}`,
          'data-step': index,
          'aria-label': `${instant(step.at)}, ${happened(step.event)}: ${text}${step.why ? ` (${step.why.rule})` : ''}`,
        },
        frame('halo', step.at, scale),
        what && mark(what, x, what === 'lost' ? scale.sent : scale.answered, what === 'success' ? scale.size : 1),
        does && mark(does, x, scale.sent, does === 'beat' ? scale.size : 1),
        !what && !does && svg('circle', { class: 'mark other', cx: x, cy: scale.sent, r: 2 }),
      ),
    )
  }
  return svg('g', {}, flights, group)
}
