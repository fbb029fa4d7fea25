import { readFileSync } from 'node:fs'
import { defineConfig } from 'vite'

const RULES = new URL('../docs/RULES.md', import.meta.url)

/** `virtual:rules`: the sentence of each rule of docs/RULES.md by its id, so that the page says what the law says. */
function rules() {
  const id = '\0virtual:rules'
  return {
    name: 'rules',
    resolveId: (source) => (source === 'virtual:rules' ? id : undefined),
    load(loaded) {
      if (loaded !== id) return
      const sentences = {}
      const items = readFileSync(RULES, 'utf8').matchAll(/^- \*\*([A-Z]\d+)\*\* ([^]*?)(?=\n- \*\*|\n\n|\n#)/gm)
      for (const [, rule, text] of items) sentences[rule] = text.replaceAll(/\s+/g, ' ').replaceAll('**', '')
      return `export default ${JSON.stringify(sentences)}`
    },
  }
}

export default defineConfig({
  // Relative, so that the files work in any folder of any static server.
  base: './',
  plugins: [rules()],
  // The package and the rules lie beside this folder.
  server: { fs: { allow: ['..'] } },
  build: { target: 'es2022', assetsInlineLimit: 0, modulePreload: { polyfill: false } },
})
