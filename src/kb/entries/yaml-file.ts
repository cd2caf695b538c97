import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml'
import { editConflict } from '../../edit/edit-conflict.js'
import { editYaml } from '../../edit/yaml-edit.js'
import type { KnowledgeEntry, Skipped, Span } from './entry-format.js'
import { lineStart, nextLine } from './text-lines.js'

/** A text in a YAML file. */
export interface YamlText {
  readonly value: string
  /** With its quotes, or the header of a block. */
  readonly span: Span
  readonly line: number
}

/** A YAML file as far as it is sound. */
export interface YamlFile {
  /** The content of each document. */
  readonly roots: readonly Node[]
  readonly skipped: readonly Skipped[]
  /** Why nothing in the file may be edited; absent: it may be. */
  readonly readOnly: string | undefined
  /** Reports whether a node ends before what cannot be read. */
  isSound(node: Node): boolean
  lineOf(node: Node): number
  /** Returns the text of a scalar that is written where it stands; undefined for anything else. */
  textOf(node: unknown): YamlText | undefined
  /** Returns the lines of a list item with its dash; the item alone in a flow list. */
  wholeOf(item: Node): Span
}

/** Reads every document of a YAML file; what follows the first error is not read. */
export function readYamlFile(path: string, file: string): YamlFile {
  const lines = new LineCounter()
  const documents = [
    ...parseAllDocuments(file, { lineCounter: lines, logLevel: 'silent', uniqueKeys: false }),
  ]
  const errors = documents.flatMap((document) => ('errors' in document ? document.errors : []))
  const [first] = errors.toSorted((a, b) => a.pos[0] - b.pos[0])
  // The line of an error may begin before it: what is on that line is not understood either.
  const sound = first === undefined ? file.length : lineStart(file, first.pos[0])
  const lineAt = (offset: number): number => lines.linePos(offset).line
  const skipped: Skipped[] = []
  if (first !== undefined)
    skipped.push({
      path,
      line: lineAt(first.pos[0]),
      why: `from here on it is not read: ${first.message.split('\n')[0]?.replace(/ at line.*$/, '') ?? ''}`,
    })
  const roots = documents.flatMap((document) =>
    'contents' in document && document.contents !== null ? [document.contents as Node] : [],
  )
  for (const root of roots) skipped.push(...repeatedKeys(root, path, lineAt))
  return {
    roots,
    skipped,
    readOnly: first === undefined ? undefined : `the file has an error at line ${lineAt(first.pos[0])}`,
    isSound: (node) => (node.range?.[1] ?? 0) <= sound,
    lineOf: (node) => lineAt(node.range?.[0] ?? 0),
    textOf(node) {
      if (!isScalar(node) || typeof node.value !== 'string' || node.range == null) return undefined
      const [start, end] = node.range
      return { value: node.value, span: { start, end }, line: lineAt(start) }
    },
    wholeOf(item) {
      const [start, , end] = item.range ?? [0, 0, 0]
      const from = lineStart(file, start)
      if (!/^\s*-\s*$/.test(file.slice(from, start))) return { start, end }
      // The node's end includes comments and empty lines below it, up to the next item.
      return { start: from, end: file[end - 1] === '\n' ? end : nextLine(file, end) }
    },
  }
}

/** Names keys that a mapping has twice: the second one hides the first. */
function repeatedKeys(node: unknown, path: string, lineAt: (offset: number) => number): Skipped[] {
  if (isSeq(node)) return node.items.flatMap((item) => repeatedKeys(item, path, lineAt))
  if (!isMap(node)) return []
  const seen = new Set<unknown>()
  return node.items.flatMap(({ key, value }) => {
    const name = isScalar(key) ? key.value : undefined
    const isRepeated = name !== undefined && seen.has(name)
    seen.add(name)
    const offset = isScalar(key) ? (key.range?.[0] ?? 0) : 0
    const own = isRepeated
      ? [{ path, line: lineAt(offset), why: `the key ${String(name)} stands twice in one mapping` }]
      : []
    return [...own, ...repeatedKeys(value, path, lineAt)]
  })
}

/** Writes a text in the place of a scalar, in its author's style. */
export function encodeYamlText(
  { span, path, text: expected }: KnowledgeEntry,
  text: string,
  file: string,
): string {
  const documents = [...parseAllDocuments(file, { logLevel: 'silent' })]
  const document = documents.find(
    (each): each is Document.Parsed =>
      'contents' in each && (each.range[0] ?? 0) <= span.start && span.end <= (each.range[2] ?? 0),
  )
  const at = document === undefined ? undefined : pathTo(document.contents, span.start)
  if (document === undefined || at === undefined)
    throw editConflict(path, 'the text to edit is not where it was')
  // Without its neighbours a document is a file of its own.
  const own = documents.length === 1 ? { start: 0, end: file.length } : bodyOf(document, file)
  const before = file.slice(own.start, own.end)
  const after = new TextDecoder('utf-8', { ignoreBOM: true }).decode(
    editYaml(new TextEncoder().encode(before), {
      kind: 'edit_metric',
      path,
      entry: '',
      action: 'set',
      at,
      expected,
      value: text,
    }),
  )
  const start = span.start - own.start
  return after.slice(start, after.length - (before.length - (span.end - own.start)))
}

function bodyOf(document: Document.Parsed, file: string): Span {
  const [from, , to] = document.range
  const text = file.slice(from, to)
  const mark = /^---[^\n]*\n/.exec(text)
  return { start: from + (mark?.[0].length ?? 0), end: to }
}

function pathTo(node: unknown, offset: number): (string | number)[] | undefined {
  if (isScalar(node)) return node.range?.[0] === offset ? [] : undefined
  if (isSeq(node)) {
    for (const [at, item] of node.items.entries()) {
      const rest = pathTo(item, offset)
      if (rest !== undefined) return [at, ...rest]
    }
  }
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      const rest = pathTo(value, offset)
      if (rest !== undefined && isScalar(key)) return [String(key.value), ...rest]
    }
  }
  return undefined
}
