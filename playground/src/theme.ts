// Light or dark: the system's, until the reader says otherwise.

import { byId } from './dom.js'

const KEY = 'leasebeat-theme'

export function theme(): void {
  const button = byId<HTMLButtonElement>('theme')
  const dark = matchMedia('(prefers-color-scheme: dark)')
  let chosen = remembered()
  const show = () => {
    const isDark = chosen ? chosen === 'dark' : dark.matches
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
    button.setAttribute('aria-pressed', String(isDark))
  }
  button.addEventListener('click', () => {
    chosen = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'
    try {
      localStorage.setItem(KEY, chosen)
    } catch {
      // Where nothing may be kept it holds until the page is left.
    }
    show()
  })
  dark.addEventListener('change', show)
  show()
}

function remembered(): string | null {
  try {
    return localStorage.getItem(KEY)
  } catch {
    return null
  }
}
