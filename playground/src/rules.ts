// What each rule says, from docs/RULES.md.

import type { Rule } from 'leasebeat'
import sentences from 'virtual:rules'
import { el } from './dom.js'

export { sentences }

/** The rule's sentence, its code as code. */
export function sentence(rule: Rule): Node[] {
  const text = sentences[rule] ?? ''
  return text.split('`').map((part, index) => (index % 2 ? el('code', {}, part) : document.createTextNode(part)))
}

