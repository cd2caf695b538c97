import { firstKeyword } from '../sql-text/scan.js'

/** A query in a fenced block of a note. */
export interface NoteQuery {
  /** Counts the queries of the note, from 1. */
  readonly number: number
  /** The nearest heading above it. */
  readonly heading: string | undefined
  /** Line of the query's first line in the note, from 1. */
  readonly line: number
  /** Offsets of its text in UTF-16 code units, end exclusive. */
  readonly start: number
  readonly end: number
  readonly text: string
}

const opening = /^ {0,3}(`{3,}|~{3,})[^`]*$/
const heading = /^ {0,3}#{1,6}[ \t]+(.*?)[ \t#]*$/

/** Reports whether a text is a query, perhaps with placeholders, below comments. */
export function isQuery(text: string): boolean {
  return /\bselect\b/i.test(text) && ['SELECT', 'WITH'].includes(firstKeyword(text, 'ansi'))
}

/** Returns the queries in fenced blocks of a Markdown text, in order, whatever language a fence names. */
export function queriesInNote(text: string): NoteQuery[] {
  const queries: NoteQuery[] = []
  let fence: { readonly mark: string; readonly start: number; readonly line: number } | undefined
  let above: string | undefined
  let start = 0
  for (const [index, whole] of text.split('\n').entries()) {
    const line = whole.replace(/\r$/, '')
    if (fence !== undefined) {
      const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1]
      if (closing?.startsWith(fence.mark)) {
        const inside = text.slice(fence.start, start)
        if (isQuery(inside))
          queries.push({
            number: queries.length + 1,
            heading: above,
            line: fence.line,
            start: fence.start,
            end: start,
            text: inside,
          })
        fence = undefined
      }
    } else {
      const mark = opening.exec(line)?.[1]
      if (mark !== undefined) fence = { mark, start: start + whole.length + 1, line: index + 2 }
      else above = heading.exec(line)?.[1] ?? above
    }
    start += whole.length + 1
  }
  return queries
}
