import { parser, Table } from '@lezer/markdown'
import type { EntriesOfFile, KnowledgeEntry, Skipped, Span } from '../entries/entry-format.js'
import { sqlKind, statementsIn } from '../entries/sql-parts.js'
import { lineCounter, lineStart, nextLine } from '../entries/text-lines.js'
import { readFrontMatter } from './front-matter.js'
import { questionIn } from './question-above.js'

const markdown = parser.configure(Table)

/** A longer paragraph explains, and names nothing. */
const longestTitle = 160

/** A fence whose pieces are its lines, without what precedes them in a list or a quotation. */
interface Fence {
  readonly from: number
  readonly to: number
  info: string
  marks: number
  readonly pieces: Span[]
}

/** Reads the sections, fences, tables and list items of a Markdown text. */
export function readMarkdown(path: string, file: string): EntriesOfFile {
  const front = readFrontMatter(path, file)
  const entries: KnowledgeEntry[] = [...front.entries]
  const skipped: Skipped[] = [...front.skipped]
  const lineOf = lineCounter(file)
  const counts = new Map<string, number>()
  const headings: string[] = []
  let above: { readonly question: string; readonly span: Span } | undefined
  let heading: string | undefined
  let paragraph: string | undefined
  let fence: Fence | undefined

  const idOf = (part: string): string => {
    const place = headings.filter((each) => each !== undefined).join('/')
    const key = `${place}/${part}`
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return `${path}#${place === '' ? '' : `${place}/`}${part}-${count}`
  }
  const prose = (
    from: number,
    to: number,
    part: string,
    block: { readonly from: number; readonly to: number },
  ): void => {
    const text = file.slice(from, to)
    const span = { start: from, end: to }
    // Lines of a list or quotation are written with what precedes them: those are read, and replaced whole or not at all.
    const isIndented = /\n[ \t>]/.test(text)
    entries.push({
      id: idOf(part),
      kind: 'prose',
      path,
      line: lineOf(from),
      span,
      text: text.replaceAll('\r\n', '\n'),
      whole: { start: lineStart(file, block.from), end: nextLine(file, block.to) },
      ...(isIndented ? { readOnly: 'its lines are indented' } : {}),
    })
  }

  markdown.parse(blanked(file, Math.max(front.end, file.startsWith('\uFEFF') ? 1 : 0))).iterate({
    enter: ({ name, from, to, node }) => {
      if (/^(?:ATX|Setext)Heading\d$/.test(name)) {
        const level = Number(name.at(-1))
        const title = file.slice(from, to).replace(/^#+\s*|\s*#*\s*$|\r?\n[=-]+\s*$/g, '')
        headings.length = Math.min(headings.length, level - 1)
        headings[level - 1] = slug(title)
        heading = title
        paragraph = undefined
        above = toQuestion(title, from, to)
        return false
      }
      if (name === 'FencedCode') {
        fence = { from, to, info: '', marks: 0, pieces: [] }
        return true
      }
      if (fence !== undefined) {
        if (name === 'CodeInfo') fence.info = file.slice(from, to)
        if (name === 'CodeMark') fence.marks++
        if (name === 'CodeText') fence.pieces.push({ start: from, end: to })
        return true
      }
      if (name === 'CodeBlock') {
        const text = file.slice(from, to)
        if (sqlKind(text) === 'query')
          skipped.push({ path, line: lineOf(from), why: 'a query in an indented block, not in a fence' })
        return false
      }
      if (name === 'HTMLBlock' || name === 'CommentBlock') {
        const text = file.slice(from, to)
        const at = text.search(/^\s*(?:`{3,}|~{3,})/m)
        if (at >= 0 || /\bselect\b[\s\S]*\bfrom\b/i.test(text)) {
          const why =
            name === 'CommentBlock'
              ? 'SQL in a comment'
              : 'SQL in HTML: an empty line before its fence makes it Markdown'
          skipped.push({ path, line: lineOf(from + Math.max(at, 0)), why })
        }
        return false
      }
      if (name === 'TableRow') prose(from, to, 'row', node)
      else if (name === 'Paragraph') {
        const item = node.parent?.name === 'ListItem' ? node.parent : undefined
        const text = file.slice(from, to)
        above = toQuestion(text, from, to) ?? (item === undefined ? above : undefined)
        paragraph = text
        prose(from, to, item === undefined ? 'text' : 'item', item ?? node)
      }
      return name === 'Table' || !/^(?:Paragraph|TableRow|TableHeader)$/.test(name)
    },
    leave: ({ name }) => {
      if (name !== 'FencedCode' || fence === undefined) return
      addFence(fence, above)
      fence = undefined
      above = undefined
      paragraph = undefined
    },
  })

  function toQuestion(
    text: string,
    from: number,
    to: number,
  ): { readonly question: string; readonly span: Span } | undefined {
    const question = questionIn(text)
    return question === undefined ? undefined : { question, span: { start: from, end: to } }
  }

  function addFence(
    { from, to, info, marks, pieces }: Fence,
    asked: { readonly question: string; readonly span: Span } | undefined,
  ): void {
    const first = pieces[0]
    const last = pieces.at(-1)
    const text = pieces.map(({ start, end }) => file.slice(start, end)).join('')
    const isSql = /sql/i.test(info.split(/\s/)[0] ?? '')
    if (!isSql && sqlKind(text) !== 'query') return
    const line = lineOf(from)
    if (marks < 2) {
      skipped.push({ path, line, why: 'a fence without an end' })
      return
    }
    if (first === undefined || last === undefined || text.trim() === '') return
    const places = placesOf(pieces)
    const isOdd = pieces.length > 1 && !hasOnePrefix(pieces)
    const start = asked?.span.start ?? from
    const whole = { start: lineStart(file, start), end: nextLine(file, to) }
    const statements = statementsIn(text)
    const around = [paragraph, heading].flatMap((each) => (each === undefined ? [] : plainWords(each)))
    for (const part of statements) {
      const kind = sqlKind(part.text)
      const span = { start: places(part.start), end: places(part.end - 1) + 1 }
      const readOnly =
        kind === 'statement'
          ? 'it is no query'
          : isOdd
            ? 'its lines are indented in several ways'
            : /\r(?!\n)/.test(file)
              ? 'its lines end in CR only'
              : undefined
      entries.push({
        id: idOf('sql'),
        kind: kind === 'statement' ? 'query' : kind,
        question: statements.length === 1 ? (asked?.question ?? questionInComment(part.text)) : undefined,
        titles: [...plainWords(firstComment(part.text) ?? ''), ...(statements.length === 1 ? around : [])],
        path,
        line: lineOf(span.start),
        span,
        text: part.text.replaceAll('\r\n', '\n'),
        whole: statements.length === 1 ? whole : span,
        ...(readOnly === undefined ? {} : { readOnly }),
      })
    }
  }

  /** Returns the offset in the file of an offset in the joined text. */
  function placesOf(pieces: readonly Span[]): (at: number) => number {
    return (at) => {
      let left = at
      for (const { start, end } of pieces) {
        if (left < end - start) return start + left
        left -= end - start
      }
      return pieces.at(-1)?.end ?? 0
    }
  }

  function hasOnePrefix(pieces: readonly Span[]): boolean {
    const prefixes = new Set(pieces.map(({ start }) => file.slice(lineStart(file, start), start)))
    return prefixes.size === 1
  }

  return { entries: entries.toSorted((a, b) => a.span.start - b.span.start), skipped }
}

/** Returns the text with blanks in place of its front matter, at the same offsets. */
function blanked(file: string, end: number): string {
  return file.slice(0, end).replaceAll(/[^\r\n]/g, ' ') + file.slice(end)
}

function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')
}

/** Returns the question in the first comment of a query. */
function questionInComment(sql: string): string | undefined {
  const comment = firstComment(sql)
  return comment === undefined ? undefined : questionIn(comment)
}

function firstComment(sql: string): string | undefined {
  return /^\s*(?:--|#|\/\*)\s*([^\n]*?)\s*(?:\*\/)?\s*(?:\n|$)/.exec(sql)?.[1]
}

/** Returns a text without its marks, if it is short enough to name something. */
function plainWords(text: string): string[] {
  const plain = text
    .replaceAll(/[*_`#]{1,3}/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return plain === '' || plain.length > longestTitle ? [] : [plain]
}
