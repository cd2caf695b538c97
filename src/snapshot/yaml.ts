import type { Document } from 'yaml'
import type { ErrorCode } from '../errors.js'
import { type Position, type Problem, problemsError } from './file-problem.js'
import { detectLineEnding } from './line-endings.js'
import { findMergeConflict, mergeConflict } from './merge-conflict.js'
import { readPlainItem } from './yaml-item-fast-path.js'
import { createItemOffsetTable } from './yaml-item-offsets.js'
import { splitItems } from './yaml-item-split.js'
import { decodeYaml, lineStarts, positionAt } from './yaml-text.js'
import {
  composeYaml,
  type ItemOffsets,
  itemOffsets,
  offsetOf,
  sourceAt,
  toPlainData,
  type YamlPath,
  YamlReadError,
} from './yaml-tree.js'

/** A YAML file as plain data, with the positions of its values. */
export interface YamlFile {
  /** The file's name for people. */
  readonly file: string
  /** Strings, numbers, booleans, null, arrays, objects; integers beyond 2^53 are bigints, dates strings. */
  readonly data: unknown
  /**
   * Returns where the key of a map entry, or an item of a list, starts; the nearest parent if there is none.
   */
  locate(path: YamlPath): Position
  /** Returns the scalar at a path as written, without quotes (`1.10`, `007`); undefined for anything else. */
  sourceOf(path: YamlPath): string | undefined
}

export interface YamlOptions {
  /** Larger files are refused; 5 MB if absent. */
  readonly maxBytes?: number | undefined
}

export type YamlOutcome =
  | { readonly kind: 'read'; readonly file: YamlFile }
  | { readonly kind: 'problem'; readonly problem: Problem }

const defaultMaxBytes = 5_000_000
/**
 * From this number of characters on, a long list is read item by item: the tree of a whole file takes 40
 * times its size.
 */
const longText = 20_000
/** From this number of characters on, values kept from a file are copied. */
const largeText = 500_000

/**
 * Reads one YAML 1.2 document of an untrusted file; a file that cannot be used becomes a problem with its
 * position.
 */
export function readYaml(input: string | Uint8Array, file: string, options: YamlOptions = {}): YamlOutcome {
  const decoded = decodeYaml(input, options.maxBytes ?? defaultMaxBytes)
  if ('problem' in decoded) {
    return {
      kind: 'problem',
      problem: { file, line: 1, column: 1, message: decoded.problem, hint: decoded.hint },
    }
  }
  const { text } = decoded
  try {
    return {
      kind: 'read',
      file: (text.length >= longText ? readByItem(text, file) : undefined) ?? readWholeFile(text, file),
    }
  } catch (error) {
    if (!(error instanceof YamlReadError)) throw error
    const { line, column } = positionAt(lineStarts(text), error.offset)
    const { message, hint } = error
    return {
      kind: 'problem',
      problem: { file, ...(knownCause(text, line, message) ?? { line, column, message, hint }) },
    }
  }
}

/** Returns the obvious cause of a broken file, where the YAML parser only reports a consequence. */
function knownCause(text: string, line: number, said: string): Omit<Problem, 'file'> | undefined {
  const conflict = findMergeConflict(text)
  if (conflict !== undefined) return { line: conflict, column: 1, ...mergeConflict }
  if (detectLineEnding(text) === '\r')
    return {
      line: 1,
      column: 1,
      message: 'Its lines end in CR only, so it is parsed as one long line',
      hint: 'Save the file with LF line ends.',
    }
  const tab = /^ *\t/.exec(text.split('\n')[line - 1] ?? '')
  if (tab === null || !/indent/i.test(said)) return undefined
  return {
    line,
    column: tab[0].length,
    message: 'Tabs are not allowed as indentation',
    hint: 'Indent with spaces.',
  }
}

/** Like `readYaml`, but throws `AutotestError(code)` with `file:line:column` if the file cannot be used. */
export function parseYaml(
  input: string | Uint8Array,
  file: string,
  options: YamlOptions & { readonly code?: ErrorCode | undefined } = {},
): YamlFile {
  const outcome = readYaml(input, file, options)
  if (outcome.kind === 'problem') throw problemsError(options.code ?? 'kb_invalid', [outcome.problem])
  return outcome.file
}

function readWholeFile(text: string, file: string): YamlFile {
  const { contents, data } = composePlainData(text)
  const starts = lineStarts(text)
  return {
    file,
    data,
    locate: (path) => positionAt(starts, offsetOf(contents, path)),
    sourceOf: (path) => sourceAt(contents, path),
  }
}

/**
 * Reads a file whose last key has a long block list, an item at a time; undefined if it does not have that
 * form.
 */
function readByItem(text: string, file: string): YamlFile | undefined {
  const split = splitItems(text)
  if (split === undefined) return undefined
  const { key, starts } = split
  const pieceText = (index: number) => text.slice(starts[index], starts[index + 1])
  const header = text.slice(0, starts[0])
  let headerTree: unknown
  let headerData: unknown
  const items: unknown[] = []
  // Requested for every item, and available without its tree.
  const places = createItemOffsetTable()
  try {
    const top = composePlainData(header)
    headerTree = top.contents
    headerData = top.data
    for (let index = 0; index < starts.length; index++) {
      const piece = pieceText(index)
      const item = readPlainItem(piece) ?? composeItem(piece)
      if (item === undefined) return undefined
      // Copies the texts: V8 would keep the whole of a large file in memory for the words cut out of it.
      items.push(text.length >= largeText ? structuredClone(item.data) : item.data)
      places.add(item, starts[index] ?? 0)
    }
  } catch (error) {
    // Parsing the whole file gives the best message for any error or unusual form.
    if (error instanceof YamlReadError) return undefined
    throw error
  }
  if (typeof headerData !== 'object' || headerData === null || !(key in headerData)) return undefined
  const lines = lineStarts(text)
  let last: { readonly index: number; readonly tree: unknown } | undefined

  /**
   * Returns the tree that contains a path (created on demand, the last one cached), its offset in the text,
   * and the rest of the path.
   */
  function treeFor(path: YamlPath): {
    readonly tree: unknown
    readonly offset: number
    readonly path: YamlPath
  } {
    const index = path[1]
    const offset = typeof index === 'number' ? starts[index] : undefined
    if (path[0] !== key || typeof index !== 'number' || offset === undefined)
      return { tree: headerTree, offset: 0, path }
    if (last?.index !== index) last = { index, tree: composeYaml(pieceText(index)).contents }
    return { tree: last.tree, offset, path: [0, ...path.slice(2)] }
  }

  return {
    file,
    data: { ...headerData, [key]: items },
    locate(path) {
      const offset = path[0] === key ? places.offsetOf(path) : undefined
      if (offset !== undefined) return positionAt(lines, offset)
      const found = treeFor(path)
      return positionAt(lines, found.offset + offsetOf(found.tree, found.path))
    },
    sourceOf(path) {
      const found = treeFor(path)
      return sourceAt(found.tree, found.path)
    },
  }
}

/** Reads the item of a list of one; undefined if it contains more than the item. */
function composeItem(text: string): (ItemOffsets & { readonly data: unknown }) | undefined {
  const { contents, data, anchored } = composePlainData(text)
  if (anchored || !Array.isArray(data) || data.length !== 1) return undefined
  return { data: data[0], ...itemOffsets(contents) }
}

function composePlainData(text: string): {
  readonly contents: Document.Parsed['contents']
  readonly data: unknown
  readonly anchored: boolean
} {
  const document = composeYaml(text)
  return { contents: document.contents, ...toPlainData(document) }
}
