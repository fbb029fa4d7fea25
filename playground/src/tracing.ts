// The box for a recorded trace: typed, pasted, dropped or opened.

import { byId } from './dom.js'

/** More would be read for longer than anybody waits; `leasebeat replay` has no such bound. */
const FILE_MAX = 5_000_000

export interface Acts {
  explain(text: string): void
  leave(): void
  /** The simulated run as a trace. */
  take(): string
}

export function tracing(acts: Acts) {
  const box = byId<HTMLTextAreaElement>('trace')
  const wrong = byId('trace-error')
  const leave = byId<HTMLButtonElement>('trace-leave')
  const file = byId<HTMLInputElement>('trace-file')

  const explain = (text: string) => {
    box.value = text
    acts.explain(text)
    if (!wrong.textContent) byId('verdict').scrollIntoView({ block: 'start' })
  }
  const open = async (opened: File | undefined) => {
    if (!opened) return
    if (opened.size <= FILE_MAX) explain(await opened.text())
    else wrong.textContent = `${opened.name} has ${opened.size} bytes; this page takes ${FILE_MAX}. Use leasebeat replay --explain.`
  }
  byId('trace-explain').addEventListener('click', () => explain(box.value))
  // The pasted text is in the box only after the event.
  box.addEventListener('paste', () => setTimeout(() => explain(box.value)))
  leave.addEventListener('click', () => acts.leave())
  byId('trace-take').addEventListener('click', () => {
    box.value = acts.take()
    box.focus()
  })
  file.addEventListener('change', async () => {
    await open(file.files?.[0])
    file.value = ''
  })
  document.addEventListener('dragover', (event) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
  })
  document.addEventListener('drop', (event) => {
    if (!event.dataTransfer?.files.length) return
    event.preventDefault()
    void open(event.dataTransfer.files[0])
  })

  return {
    /** Shows what became of a trace, or that there is none. */
    show(text: string | null, error: { line: number; what: string } | null) {
      leave.hidden = text == null
      if (text != null && box.value !== text) box.value = text
      wrong.textContent = error ? `Line ${error.line}: ${error.what}` : ''
      if (error && text != null) select(box, text, error.line)
    },
  }
}

/** Puts the cursor on the bad line. */
function select(box: HTMLTextAreaElement, text: string, line: number): void {
  const lines = text.split('\n')
  const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0)
  box.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0))
  box.focus()
}
