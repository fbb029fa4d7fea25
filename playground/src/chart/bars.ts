// Two bars, one above the other: when the lease was truly held, and when the host could prove it.

import { svg } from '../dom.js'
import { held, proved, type Run, type Span } from '../record.js'
import { instant } from '../words.js'
import type { Scale } from './scale.js'

const THICK = 9

export function bars(run: Run, scale: Scale): SVGElement {
  const group = svg('g', { class: 'bars' })
  const bar = (y: number, name: string, kind: string, spans: Span[]) => {
    group.append(
      svg('rect', { class: 'nothing', x: scale.left, y: y + 14, width: scale.right - scale.left, height: THICK, rx: 2 }),
      ...spans.map(({ from, until }) =>
        svg('rect', { class: kind, x: scale.x(from), y: y + 14, width: Math.max(1, scale.x(until) - scale.x(from)), height: THICK, rx: 2 }),
      ),
      svg('text', { x: scale.left, y: y + 10 }, `${name}: ${share(spans, run.until)}`),
    )
  }
  if (scale.bars.truth != null) bar(scale.bars.truth, 'Truly held', 'truth-bar', held(run))
  bar(scale.bars.proved, scale.isNarrow ? 'Provably held' : 'Provably held, as the host believes', 'proved-bar', proved(run))
  return group
}

function share(spans: Span[], until: number): string {
  const last = spans.at(-1)
  if (!last) return 'never'
  const end = last.until >= until ? 'to the end' : `until ${instant(last.until)}`
  return spans.length > 1 ? `${end}, with ${spans.length === 2 ? 'a gap' : `${spans.length - 1} gaps`}` : end
}
