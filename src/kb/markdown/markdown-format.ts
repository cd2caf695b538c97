import { editConflict } from '../../edit/edit-conflict.js'
import { detectLineEnding } from '../../snapshot/line-endings.js'
import type { EntryFormat } from '../entries/entry-format.js'
import { lineStart } from '../entries/text-lines.js'
import { readMarkdown } from './read-markdown.js'

/** Context files, skills, rules, docs: sections, fenced SQL, tables, list items. */
export const markdownFormat: EntryFormat = {
  name: 'markdown',
  claim: (path) => (/\.(?:md|mdx|markdown|mdc)$/i.test(path) ? 'a Markdown file' : undefined),
  read: readMarkdown,
  encode(entry, text, file) {
    const lines = text.split('\n')
    if (entry.kind !== 'prose' && lines.some((line) => /^\s*(?:`{3,}|~{3,})/.test(line)))
      throw editConflict(entry.path, 'a query cannot hold the end of its fence')
    // What precedes a line in a list or a quotation is not part of the query.
    const first = lineStart(file, entry.span.start)
    const second = file.indexOf('\n', entry.span.start)
    const indent =
      second >= 0 && second < entry.span.end
        ? (/^[ \t>]*/.exec(file.slice(second + 1, entry.span.end).split(/\n(?=[^\n]*\S)/)[0] ?? '')?.[0] ??
          '')
        : file.slice(first, entry.span.start)
    const own = file.slice(first, entry.span.start)
    const prefix = entry.kind === 'query' || /^[ \t>]*$/.test(own) ? own : indent
    return lines
      .map((line, at) => (at === 0 || line === '' ? line : prefix + line))
      .join(detectLineEnding(file))
  },
}
