// The address bar follows the state, and the state follows a link.

import { byId } from './dom.js'
import { read, written, writtenTrace, type Shared } from './share.js'

/** Browsers let a page change its address only so often. */
const SETTLE_MS = 250

export interface Link {
  changed(shared: Shared): void
  open(): Promise<void>
}

export function share(follow: (shared: Shared) => void, current: () => Shared): Link {
  let pending: Shared | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  const button = byId<HTMLButtonElement>('share')

  async function settle(): Promise<void> {
    clearTimeout(timer)
    if (!pending) return
    const shared = pending
    const fragment = 'setup' in shared ? written(shared.setup) : await writtenTrace(shared.trace)
    if (pending !== shared) return
    pending = null
    history.replaceState(null, '', `#${fragment}`)
  }

  async function open(): Promise<void> {
    const fragment = location.hash.slice(1)
    if (!fragment) return
    try {
      follow(await read(fragment))
      say('')
    } catch (error) {
      say(`The link was ignored: ${(error as Error).message}.`)
    }
  }

  button.addEventListener('click', async () => {
    pending = current()
    await settle()
    try {
      await navigator.clipboard.writeText(location.href)
      say('The link is copied.')
    } catch {
      say('The address bar has the link.')
    }
  })
  addEventListener('hashchange', () => void open())
  // A place in the page is gone to without the address, which has the state.
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest('a[href^="#"]')
    const place = link && document.getElementById(link.getAttribute('href')!.slice(1))
    if (!place) return
    event.preventDefault()
    place.scrollIntoView({ block: 'center' })
    place.focus({ preventScroll: true })
  })

  return {
    changed(shared) {
      pending = shared
      clearTimeout(timer)
      timer = setTimeout(() => void settle(), SETTLE_MS)
      say('')
    },
    open,
  }
}

function say(text: string): void {
  const message = byId('message')
  message.textContent = text
  message.hidden = !text
}
