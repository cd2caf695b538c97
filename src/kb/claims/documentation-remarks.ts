import type { KnowledgeBase, Metric, Snippet } from '../entry.js'
import { quotedRegions } from '../quoted-regions.js'

/** A short text about queries: a paragraph or list item of a note, a comment, a title. */
export interface Remark {
  readonly from: 'note' | 'comment' | 'title'
  /**
   * Line breaks and comment marks are replaced by blanks, so that offsets plus `start` are offsets in the
   * file.
   */
  readonly text: string
  readonly path: string
  readonly start: number
  /**
   * The queries that it is about: the one that contains it or is declared with it; every query, for a note.
   */
  readonly snippets: readonly Snippet[]
  /** The line of SQL beside or below a comment. */
  readonly adjacentLine?: string | undefined
}

export function collectRemarks(kb: KnowledgeBase, textOf: (path: string) => string): Remark[] {
  const all = [...kb.snippets.values()]
  return [
    ...kb.notes.flatMap(({ path, text }) =>
      paragraphs(text).map(({ start, text }) => ({
        from: 'note' as const,
        path,
        start,
        text,
        snippets: all,
      })),
    ),
    ...all.flatMap(sqlComments),
    ...kb.metrics.flatMap((metric) => {
      const snippet = kb.snippets.get(metric.snippet)
      return snippet === undefined ? [] : metricRemarks(metric, snippet, textOf(metric.path))
    }),
  ]
}

interface Paragraph {
  readonly start: number
  readonly text: string
}

/** Returns paragraphs and list items, each on one line. */
function paragraphs(text: string): Paragraph[] {
  return [...text.matchAll(/(?:^|\n)(?![^\S\n]*\n)((?:(?!\n[^\S\n]*(?:\n|[-*+#] |\d+\. ))[\s\S])+)/g)].map(
    (match) => {
      const found = match[1] ?? ''
      return { start: match.index + match[0].length - found.length, text: found.replaceAll('\n', ' ') }
    },
  )
}

function sqlComments(snippet: Snippet): Remark[] {
  const { path, text } = snippet
  const remark = (start: number, end: number, beside: string): Remark => ({
    from: 'comment',
    path,
    start,
    text: blankMarks(text.slice(start, end)),
    snippets: [snippet],
    adjacentLine: beside,
  })
  const remarks: Remark[] = []
  let open: { readonly start: number; readonly end: number } | undefined
  for (const { start, end } of quotedRegions(text).filter(({ kind }) => kind === 'comment')) {
    const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
    if (before.trim() !== '') {
      remarks.push(remark(start, end, before))
      continue
    }
    // Comment lines without a line of SQL between them are one remark.
    const joined: number =
      open !== undefined && text.slice(open.end, start).trim() === '' ? open.start : start
    if (joined !== start) remarks.pop()
    open = { start: joined, end }
    remarks.push(remark(joined, end, nextLine(text.slice(end))))
  }
  return remarks
}

function nextLine(text: string): string {
  return text.split('\n').find((line) => line.trim() !== '') ?? ''
}

function blankMarks(text: string): string {
  return text.replaceAll(/--|\/\*+|\*\//g, '  ').replaceAll(/[\r\n]/g, ' ')
}

/** Returns the comments in a metric's file, and its title. */
function metricRemarks({ path, title }: Metric, snippet: Snippet, text: string): Remark[] {
  const snippets = [snippet]
  const comments = [...text.matchAll(/(?:^[ \t]*#.*(?:\n|$))+|#(?<=^[^'"#\n]*[ \t]#).*$/gm)].map(
    ({ index, 0: found }): Remark => ({
      from: 'comment',
      path,
      start: index,
      text: found.replaceAll(/^[ \t]*#/gm, (mark) => ' '.repeat(mark.length)).replaceAll(/[\r\n]/g, ' '),
      snippets,
    }),
  )
  const at = text.search(/^title:/m)
  return [...comments, { from: 'title', path, start: Math.max(at, 0), text: title, snippets }]
}
