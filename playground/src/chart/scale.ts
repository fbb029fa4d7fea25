// Where things are in the picture, in CSS pixels.

import type { Run } from '../record.js'

export interface Scale {
  width: number
  height: number
  isNarrow: boolean
  left: number
  right: number
  /** The lane of faults; of no height where there are none to set. */
  lane: { top: number; bottom: number }
  plot: { top: number; bottom: number }
  /** Where sends and outcomes are marked. */
  sent: number
  answered: number
  /** The bars of what is true and what is proved. */
  bars: { truth: number | null; proved: number }
  axis: number
  until: number
  most: number
  /** How large a mark may be, of 1: less where there are many. */
  size: number
  x(at: number): number
  y(lead: number): number
  at(x: number): number
}

const LANE = 32
const GAP = 8
const BAR = 30

export function scaled(run: Run, width: number): Scale {
  const isNarrow = width < 560
  const [left, right] = [isNarrow ? 44 : 60, width - (isNarrow ? 8 : 14)]
  const lane = { top: 0, bottom: run.truth ? LANE : 0 }
  const top = lane.bottom + GAP
  const plot = { top, bottom: top + (isNarrow ? 150 : 230) }
  const sent = plot.bottom + 46
  const answered = sent + 24
  const first = answered + 22
  const bars = { truth: run.truth ? first : null, proved: run.truth ? first + BAR : first }
  const axis = plot.bottom
  const until = run.until
  const most = highest(run)
  return {
    width,
    height: bars.proved + BAR,
    isNarrow,
    left,
    right,
    lane,
    plot,
    sent,
    answered,
    bars,
    axis,
    until,
    most,
    size: Math.min(1, Math.max(0.4, (right - left) / 14 / Math.max(1, sends(run)))),
    x: (at) => left + (Math.min(Math.max(at, 0), until) / until) * (right - left),
    y: (lead) => plot.bottom - (Math.min(Math.max(lead, 0), most) / most) * (plot.bottom - plot.top),
    at: (x) => (Math.min(Math.max((x - left) / (right - left), 0), 1)) * until,
  }
}

function sends({ steps }: Run): number {
  return steps.filter(({ decision }) => decision?.action === 'send').length
}

/** A little above the largest lead there is, up to what a picture of years has room for. */
function highest({ steps, truth, until }: Run): number {
  const leads = steps.map(({ at, fence }) => (fence ?? at) - at)
  const true_ = (truth ?? []).map(({ at, expires }) => expires - at)
  return Math.min(Math.max(1_000, ...leads, ...true_) * 1.06, Math.max(until * 4, 86_400_000))
}

const UNITS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5, 216e5, 432e5, 864e5]

/** Round numbers from 0 to `most`, at most so many. */
export function ticks(most: number, count: number): number[] {
  const largest = UNITS.at(-1)!
  const step = UNITS.find((unit) => most / unit <= count) ?? largest * Math.ceil(most / largest / count)
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, index) => index * step)
}

/** As fine as a click can mean: about a two-hundredth of the picture, but a round number. */
export function rounded(at: number, until: number): number {
  const grain = 10 ** Math.floor(Math.log10(Math.max(1, until / 200)))
  return Math.round(at / grain) * grain
}
