import { isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseAllDocuments } from 'yaml'
import type { EntriesRead } from '../contracts/agent-answer.js'
import { readText, type Snapshot } from '../snapshot/snapshot.js'
import { type KnowledgeBase, namedSnippets } from './entry.js'
import { isQuery } from './note-queries.js'
import { findPlaceholders } from './render-snippet.js'

/** A question that stands beside a query. */
interface Example {
  readonly words: string
  /** From 1. */
  readonly line: number
}

const known = new WeakMap<Uint8Array, readonly Example[]>()

/**
 * Returns where, in what an agent read, the question of a case stands beside a query: an agent that copies it shows
 * nothing. The queries of metrics are knowledge, whatever is written above them. An agent that does not list what it
 * read is taken to have read everything.
 */
export function findOwnExample(
  question: string,
  read: EntriesRead,
  snapshot: Snapshot,
  kb: KnowledgeBase,
  folder: string,
): string | undefined {
  const words = wordsOf(question)
  if (words === '') return undefined
  const definitions = definitionPaths(kb)
  const root = `${folder.replace(/^\.\/|\/+$/g, '')}/`
  for (const [path, bytes] of snapshot.files) {
    if (definitions.has(path) || !path.startsWith(root) || !wasRead(path, read, kb)) continue
    const examples = known.get(bytes) ?? examplesIn(path, readText(snapshot, path) ?? '')
    known.set(bytes, examples)
    const example = examples.find((each) => each.words === words)
    if (example !== undefined) return `${path}:${example.line}`
  }
  return undefined
}

const definitionsOf = new WeakMap<KnowledgeBase, ReadonlySet<string>>()

function definitionPaths(kb: KnowledgeBase): ReadonlySet<string> {
  const found = definitionsOf.get(kb)
  if (found !== undefined) return found
  const named = namedSnippets(kb)
  const paths = new Set([
    ...kb.metrics.map(({ path }) => path),
    ...kb.broken.map(({ problem }) => problem.path),
    ...[...kb.snippets.values()].flatMap(({ name, path }) => (named.has(name) ? [path] : [])),
  ])
  definitionsOf.set(kb, paths)
  return paths
}

/** Reports whether one of the listed entries is in a file: a note, a snippet, or any other by its path. */
function wasRead(path: string, read: EntriesRead, kb: KnowledgeBase): boolean {
  if (read === 'all') return true
  const entry = [...kb.notes, ...kb.snippets.values()].find((each) => each.path === path)
  return read.some((id) => {
    const file = id.slice(id.indexOf(':') + 1)
    return entry?.id === id || path === file || path.endsWith(`/${file}`)
  })
}

function examplesIn(path: string, text: string): readonly Example[] {
  if (!/\bselect\b/i.test(text)) return []
  return /\.ya?ml$/i.test(path) ? examplesInYaml(text) : examplesInText(text)
}

/** Ignores letter case, white space and punctuation. */
function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')
}

/** Returns the texts of a mapping that holds a query, and those that the next item of a list answers with one. */
function examplesInYaml(text: string): Example[] {
  const lines = new LineCounter()
  const examples: Example[] = []
  const add = (node: Node, value: string): void => {
    const words = wordsOf(value)
    if (words !== '' && !isQuery(value))
      examples.push({ words, line: lines.linePos(node.range?.[0] ?? 0).line })
  }
  const visit = (node: unknown, isAnswered: boolean): void => {
    if (isSeq(node)) {
      for (const [at, item] of node.items.entries())
        visit(item, !holdsQuery(item) && isMap(node.items[at + 1]) && holdsQuery(node.items[at + 1]))
      return
    }
    if (!isMap(node)) return
    const isBeside = isAnswered || node.items.some(({ value }) => textOf(value, isQuery) !== undefined)
    for (const { key, value } of node.items) {
      const said = textOf(value)
      if (isBeside && said !== undefined) add(value as Node, said)
      const name = textOf(key)
      if (name !== undefined && textOf(value, isQuery) !== undefined) add(key as Node, name)
      visit(value, false)
    }
  }
  const documents = [...parseAllDocuments(text, { lineCounter: lines, logLevel: 'silent' })]
  for (const { contents } of documents) if (contents !== null) visit(contents, false)
  // Other parsers read what this one does not, and so do agents.
  const isRead = documents.every((document) => !('errors' in document) || document.errors.length === 0)
  return isRead ? examples : [...examples, ...examplesInText(text)]
}

function holdsQuery(node: unknown): boolean {
  if (isMap(node)) return node.items.some((item) => isPair(item) && holdsQuery(item.value))
  return textOf(node, isQuery) !== undefined
}

/** Returns a text, or the lines of a list of texts, if it meets a condition; a query with placeholders never does. */
function textOf(node: unknown, meets: (text: string) => boolean = () => true): string | undefined {
  const parts = isSeq(node) ? node.items : [node]
  if (!parts.every((part) => isScalar(part) && typeof part.value === 'string')) return undefined
  const text = parts.map((part) => (isScalar(part) ? String(part.value) : '')).join('\n')
  return meets(text) && findPlaceholders(text).length === 0 ? text : undefined
}

/**
 * Returns lines above a query, or beside it, that ask what it answers: a question, or words with a value that the
 * query has. Other words name it.
 */
function examplesInText(text: string): Example[] {
  const examples: Example[] = []
  let above: { readonly unit: string; readonly line: number }[] = []
  let query: string[] | undefined
  let isFenced = false
  const end = (): void => {
    const sql = query?.join('\n') ?? ''
    if (findPlaceholders(sql).length === 0)
      for (const { unit, line } of above) if (asks(unit, sql)) examples.push({ words: wordsOf(unit), line })
    above = []
    query = undefined
  }
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const isFence = /^\s*(?:`{3,}|~{3,})/.test(line)
    const begun = query === undefined ? queryIn(line) : undefined
    if (begun !== undefined) {
      query = [begun.sql]
      above.push(...unitsOf(begun.before, index + 1))
      // A query within a line ends with it.
      if (!isFenced && begun.isWhole) end()
    } else if (query !== undefined) {
      const isEnd = isFenced ? isFence : line.trim() === '' || isFence
      if (isEnd) end()
      else query.push(line)
    } else {
      if (!isFenced && /^ {0,3}#{1,6}\s/.test(line)) above = []
      above.push(...unitsOf(line, index + 1))
    }
    if (isFence) isFenced = !isFenced
  }
  if (query !== undefined) end()
  return examples
}

/** Returns the query that begins in a line, and what is before it. */
function queryIn(
  line: string,
): { readonly sql: string; readonly before: string; readonly isWhole: boolean } | undefined {
  const match = /^(.*?)(`?)\b((?:select|with)\b.*)$/i.exec(line)
  if (match === null) return undefined
  const [, before = '', tick, sql = ''] = match
  const isAlone = /^\W*(?:[\p{L}\d_]+\s*[:=]\W*)?$/u.test(before)
  const isMarked = tick === '`' || /[|:>]\s*$/.test(before)
  const isStatement = /^select\b/i.test(sql)
    ? isAlone || /\bfrom\b/i.test(sql)
    : /^with\s+\w+\s+as\b/i.test(sql)
  return (isAlone || isMarked) && isStatement && !/^\s*(?:--|#)/.test(line)
    ? { sql, before, isWhole: !isAlone }
    : undefined
}

/** Returns the parts of a line that may be a question: all of it, what follows a label, cells and quoted parts. */
function unitsOf(line: string, at: number): { readonly unit: string; readonly line: number }[] {
  const label = /^[^:]{1,40}:\s+(.+)$/.exec(line)?.[1]
  const parts = line.split(/[|"“”`]|[-=]>|→/)
  return [...new Set([line, ...(label === undefined ? [] : [label]), ...parts])]
    .map((unit) => ({ unit: unit.trim(), line: at }))
    .filter(({ unit }) => wordsOf(unit) !== '')
}

function asks(unit: string, sql: string): boolean {
  if (/\?\W*$/.test(unit)) return true
  const values = [...sql.matchAll(/'([^']*)'|\b(\d+)\b/g)].map(([, text, number]) => text ?? number ?? '')
  const words = ` ${wordsOf(unit)} `
  return values.some((value) =>
    [value, ...(value.match(/\d{4}/) ?? [])].some((each) => {
      const said = wordsOf(each)
      return said !== '' && words.includes(` ${said} `)
    }),
  )
}
