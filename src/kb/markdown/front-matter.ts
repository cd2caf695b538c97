import { LineCounter, parseDocument, visit } from 'yaml'
import type { EntriesOfFile, KnowledgeEntry } from '../entries/entry-format.js'

/** Reads the texts of the front matter of a Markdown file. They are read, and edited by people. */
export function readFrontMatter(path: string, file: string): EntriesOfFile & { readonly end: number } {
  const mark = /^\uFEFF?---[ \t]*\r?\n/.exec(file)
  if (mark === null) return { entries: [], skipped: [], end: 0 }
  const closing = /^(?:---|\.\.\.)[ \t]*$/gm
  closing.lastIndex = mark[0].length
  const found = closing.exec(file)
  if (found === null)
    return { entries: [], skipped: [{ path, line: 1, why: 'front matter without an end' }], end: 0 }
  const lines = new LineCounter()
  const start = mark[0].length
  const document = parseDocument(file.slice(start, found.index), { lineCounter: lines, logLevel: 'silent' })
  const end = found.index + found[0].length
  const [error] = document.errors
  if (error !== undefined) {
    const line = lines.linePos(error.pos[0]).line + 1
    return {
      entries: [],
      skipped: [{ path, line, why: `front matter: ${error.message.split('\n')[0] ?? ''}` }],
      end,
    }
  }
  const entries: KnowledgeEntry[] = []
  visit(document, {
    Scalar(key, node, parents) {
      if (key === 'key' || typeof node.value !== 'string' || node.range == null || node.value === '') return
      const span = { start: start + node.range[0], end: start + node.range[1] }
      entries.push({
        id: `${path}#front-matter/${entries.length + 1}`,
        kind: parents.length > 3 ? 'names' : 'prose',
        path,
        line: lines.linePos(node.range[0]).line + 1,
        span,
        text: node.value,
        whole: span,
        readOnly: 'front matter is edited by people',
      })
    },
  })
  return { entries, skipped: [], end }
}
