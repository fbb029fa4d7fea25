// Making elements.

type Child = Node | string | null | false
type Attributes = Record<string, string | number | boolean | null | undefined>

const SVG = 'http://www.w3.org/2000/svg'

export function el<K extends keyof HTMLElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  return filled(document.createElement(name), attributes, children)
}

export function svg<K extends keyof SVGElementTagNameMap>(name: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  return filled(document.createElementNS(SVG, name), attributes, children)
}

function filled<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '')
    else if (value !== false && value != null) element.setAttribute(name, String(value))
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== false))
  return element
}

/** The element of the page with this id. */
export function byId<E extends HTMLElement>(id: string): E {
  const element = document.getElementById(id)
  if (!element) throw new Error(`the page has no #${id}`)
  return element as E
}

/**
 * Gives `parent` new children. What had the focus has it again, if it is still there: each such element has a `data-key`
 * of its own.
 */
export function replace(parent: Element, ...children: Node[]): void {
  const active = document.activeElement
  const key = active && parent.contains(active) ? active.closest('[data-key]')?.getAttribute('data-key') : null
  parent.replaceChildren(...children)
  if (key == null) return
  const again = parent.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`)
  again?.focus({ preventScroll: true })
}
