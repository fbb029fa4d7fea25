// Pointing at the picture: with the mouse, a finger or the keyboard.

import { rounded, type Scale } from './chart/scale.js'
import type { Run } from './record.js'

/** What is pointed at: the decisions there, and when. */
export interface Pointed {
  indices: number[]
  at: number | null
}

export interface Acts {
  scale(): Scale
  run(): Run
  point(pointed: Pointed): void
  addFault(at: number): void
  moveFault(index: number, at: number, isDone: boolean): void
  removeFault(index: number): void
}

/** So close together, in px, decisions are read as one. */
const CLOSE = 3
const NEAR = 8

/** The decisions at a point: those that are made there, or the one that is in force. */
export function pointedAt(run: Run, scale: Scale, x: number): Pointed {
  const at = scale.at(x)
  const distance = (time: number) => Math.abs(scale.x(time) - x)
  const nearest = run.steps.reduce((best, step) => (distance(step.at) < distance(best) ? step.at : best), Infinity)
  if (distance(nearest) <= NEAR) {
    const here = run.steps.flatMap((step, index) => (Math.abs(scale.x(step.at) - scale.x(nearest)) <= CLOSE ? [index] : []))
    return { indices: here.slice(-6), at: null }
  }
  const inForce = run.steps.findLastIndex((step) => step.at <= at)
  return { indices: inForce < 0 ? [] : [inForce], at }
}

export function pointing(chart: SVGSVGElement, acts: Acts): void {
  let grabbed: { index: number; offset: number } | null = null

  const place = (event: PointerEvent | MouseEvent) => {
    const box = chart.getBoundingClientRect()
    return { x: event.clientX - box.left, y: event.clientY - box.top }
  }
  const indexOf = (event: Event, name: 'step' | 'fault') => {
    const found = (event.target as Element).closest<SVGElement>(`[data-${name}]`)
    return found ? Number(found.dataset[name]) : null
  }
  const timeOf = (x: number) => rounded(acts.scale().at(x), acts.scale().until)

  chart.addEventListener('pointerdown', (event) => {
    const index = indexOf(event, 'fault')
    if (index == null || event.button !== 0) return
    grabbed = { index, offset: place(event).x - acts.scale().x(acts.run().faults[index]!.fault.at) }
    chart.setPointerCapture(event.pointerId)
  })
  chart.addEventListener('pointermove', (event) => {
    const { x, y } = place(event)
    if (grabbed) acts.moveFault(grabbed.index, timeOf(x - grabbed.offset), false)
    else if (y > acts.scale().lane.bottom) acts.point(pointedAt(acts.run(), acts.scale(), x))
  })
  const release = () => {
    if (!grabbed) return
    const { index } = grabbed
    grabbed = null
    const met = acts.run().faults[index]
    if (met) acts.moveFault(index, met.fault.at, true)
  }
  chart.addEventListener('pointerup', (event) => {
    if (grabbed) return release()
    const { x, y } = place(event)
    const { lane, left, right } = acts.scale()
    if (event.button === 0 && y < lane.bottom && x >= left && x <= right) acts.addFault(timeOf(x))
    else if (y > lane.bottom) acts.point(pointedAt(acts.run(), acts.scale(), x))
  })
  chart.addEventListener('pointercancel', release)

  // Not on the picture itself: Chromium lets an SVG element that listens for focus have it.
  chart.parentElement!.addEventListener('focusin', (event) => {
    const index = indexOf(event, 'step')
    if (index != null) acts.point({ indices: [index], at: null })
  })
  chart.addEventListener('keydown', (event) => {
    const step = indexOf(event, 'step')
    const fault = indexOf(event, 'fault')
    const isDone = step != null ? walk(event.key, step) : fault != null ? move(event, fault) : false
    if (isDone) event.preventDefault()
  })

  function walk(key: string, step: number): boolean {
    const last = acts.run().steps.length - 1
    if (key === 'Enter' || key === ' ') {
      document.querySelector<HTMLElement>(`[data-key="row-${step}"]`)?.focus()
      return true
    }
    const next = { ArrowRight: step + 1, ArrowLeft: step - 1, Home: 0, End: last }[key]
    if (next === undefined) return false
    const target = Math.min(last, Math.max(0, next))
    chart.querySelector<SVGElement>(`[data-step="${target}"]`)?.focus()
    return true
  }

  function move({ key, shiftKey }: KeyboardEvent, index: number): boolean {
    if (key === 'Delete' || key === 'Backspace') {
      acts.removeFault(index)
      return true
    }
    const way = { ArrowRight: 1, ArrowLeft: -1 }[key]
    if (way === undefined) return false
    const grain = 10 ** Math.floor(Math.log10(Math.max(1, acts.scale().until / 200)))
    acts.moveFault(index, acts.run().faults[index]!.fault.at + way * grain * (shiftKey ? 10 : 1), true)
    return true
  }
}
