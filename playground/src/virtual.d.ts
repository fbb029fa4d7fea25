declare module 'virtual:rules' {
  /** The sentence of each rule of docs/RULES.md, in Markdown's code marks only. */
  const sentences: Readonly<Record<string, string>>
  export default sentences
}

declare module '*.css'
