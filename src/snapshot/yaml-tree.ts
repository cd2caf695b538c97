import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type Pair,
  Parser,
} from 'yaml'

/** Maximal nesting of collections; hand-written files need about five levels. */
const maxDepth = 64
/**
 * The lexer recurses on `- - - …` in one line; this many is more than any real file has and far below its
 * stack limit.
 */
const indicatorRun = /(?:[-?:][ \t]+){1000}/
/** Maximal number of nodes reached through aliases in one file, counted as often as they are reached. */
const maxAliased = 10_000

export type YamlPath = readonly (string | number)[]

/** An error at an offset of the text; thrown inside this folder and converted to a problem by `readYaml`. */
export class YamlReadError extends Error {
  readonly offset: number
  readonly hint: string

  constructor(message: string, offset: number, hint: string) {
    super(message)
    this.offset = offset
    this.hint = hint
  }
}

const hints: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: 'Indent with spaces.',
  TAG_RESOLVE_FAILED: 'Remove the tag; plain YAML values are enough.',
  BLOCK_AS_IMPLICIT_KEY: 'Put the value in quotes: it contains `: `.',
}

/** Reads one document; warnings count as errors. Throws `YamlReadError`. */
export function composeYaml(text: string): Document.Parsed {
  const run = indicatorRun.exec(text)
  if (run !== null) throw nestingError(run.index)
  const composer = new Composer({
    version: '1.2',
    schema: 'core',
    strict: true,
    // `toPlainData` looks for duplicate keys: here each would be compared with every other.
    uniqueKeys: false,
    intAsBigInt: true,
    // Dates, bytes and sets, for which other schemas have tags, are not plain data.
    resolveKnownTags: false,
    prettyErrors: false,
  })
  const [document, second] = [...composer.compose(tokensOf(text), true, text.length)]
  if (document === undefined) throw new YamlReadError('file is empty', 0, 'Add content to it.')
  const fault = document.errors[0] ?? document.warnings[0]
  if (fault !== undefined) {
    throw new YamlReadError(
      firstLine(fault.message),
      fault.pos[0],
      hints[fault.code] ?? 'Check the indentation, and quote values with `: ` or ` #` in them.',
    )
  }
  if (second !== undefined) {
    throw new YamlReadError(
      'file contains more than one document',
      second.range[0],
      'Put each document into its own file.',
    )
  }
  if (document.directives.yaml.explicit === true && document.directives.yaml.version !== '1.2') {
    throw new YamlReadError('only YAML 1.2 is supported', 0, 'Remove the %YAML line.')
  }
  return document
}

/**
 * Yields tokens of the concrete syntax; stops if collections are nested too deeply for the recursive
 * composer.
 */
function* tokensOf(text: string) {
  const parser = new Parser()
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme)
    // Besides the collections, the stack contains the document and a scalar.
    if (parser.stack.length > maxDepth + 2) throw nestingError(parser.offset)
  }
  yield* parser.end()
}

/**
 * Returns the plain data of a document: strings, numbers, booleans, null, arrays, objects. An integer beyond
 * 2^53 is a bigint; dates stay strings. Rejects merge keys, `__proto__`, keys that are not scalars, and
 * aliases that multiply or loop (`YamlReadError`). `anchored` states whether there are any anchors.
 */
export function toPlainData(document: Document.Parsed): {
  readonly data: unknown
  readonly anchored: boolean
} {
  const anchors = new Map<string, { readonly data: unknown; readonly nodes: number } | 'open'>()
  let nodes = 0
  let aliased = 0

  function convert(node: unknown): unknown {
    nodes++
    if (isAlias(node)) return aliasOf(node.source, startOf(node))
    if (!isScalar(node) && !isSeq(node) && !isMap(node)) return null
    if (node.anchor === undefined) return contentOf(node)
    const before = nodes
    anchors.set(node.anchor, 'open')
    const data = contentOf(node)
    anchors.set(node.anchor, { data, nodes: nodes - before + 1 })
    return data
  }

  function aliasOf(name: string, offset: number): unknown {
    const target = anchors.get(name)
    if (target === undefined)
      throw new YamlReadError(
        `alias *${name} has no anchor before it`,
        offset,
        `Write &${name} at the value it means.`,
      )
    if (target === 'open')
      throw new YamlReadError(`alias *${name} refers to itself`, offset, 'Write the value out.')
    aliased += target.nodes
    nodes += target.nodes
    if (aliased > maxAliased)
      throw new YamlReadError('aliases expand to too many values', offset, 'Write the values out.')
    return target.data
  }

  function contentOf(node: Node): unknown {
    if (isSeq(node)) return node.items.map(convert)
    if (isMap(node)) return objectOf(node.items)
    return isScalar(node) ? scalarOf(node.value, startOf(node)) : null
  }

  function objectOf(pairs: readonly Pair[]): Record<string, unknown> {
    const entries = new Map<string, unknown>()
    for (const pair of pairs) {
      const key = keyOf(pair)
      if (entries.has(key))
        throw new YamlReadError(`key \`${key}\` occurs twice`, startOf(pair.key), 'Keep one of the two.')
      entries.set(key, convert(pair.value))
    }
    return Object.fromEntries(entries)
  }

  return { data: convert(document.contents), anchored: anchors.size > 0 }
}

/**
 * Returns where the key of a map entry, or an item of a list, starts; the nearest parent if the path does not
 * exist.
 */
export function offsetOf(root: unknown, path: YamlPath): number {
  return resolveNode(root, path).offset
}

/** Returns the scalar at a path as written, without quotes: `1.10`, `007`. */
export function sourceAt(root: unknown, path: YamlPath): string | undefined {
  const { node } = resolveNode(root, path)
  if (!isScalar(node)) return undefined
  return node.source ?? String(node.value)
}

function resolveNode(root: unknown, path: YamlPath): { readonly node: unknown; readonly offset: number } {
  let node = root
  let offset = startOf(root)
  for (const segment of path) {
    if (isSeq(node)) {
      const item = node.items[Number(segment)]
      if (item === undefined) return { node: undefined, offset }
      node = item
      offset = startOf(item)
    } else if (isMap(node)) {
      const pair = node.items.find(
        (candidate) => isScalar(candidate.key) && scalarKey(candidate.key) === String(segment),
      )
      if (pair === undefined) return { node: undefined, offset }
      node = pair.value
      offset = startOf(pair.key)
    } else return { node: undefined, offset }
  }
  return { node, offset }
}

/** The offset of an item and, if it is a map, its keys and their offsets, in the item's text. */
export interface ItemOffsets {
  readonly item: number
  readonly keys: readonly string[]
  readonly offsets: readonly number[]
}

/** Returns the offsets in a list of one item. */
export function itemOffsets(list: unknown): ItemOffsets {
  const item = isSeq(list) ? list.items[0] : undefined
  const pairs = isMap(item) ? item.items : []
  return { item: startOf(item), keys: pairs.map(keyOf), offsets: pairs.map(({ key }) => startOf(key)) }
}

function keyOf(pair: Pair): string {
  if (!isScalar(pair.key))
    throw new YamlReadError('a key must be plain text', startOf(pair.key), 'Use a word as the key.')
  const key = scalarKey(pair.key)
  if (key === '<<' && pair.key.type === 'PLAIN') {
    throw new YamlReadError(
      'merge keys (`<<`) are not supported',
      startOf(pair.key),
      'Write the merged keys out.',
    )
  }
  // Schema validation would drop it silently.
  if (key === '__proto__')
    throw new YamlReadError('`__proto__` is not allowed as a key', startOf(pair.key), 'Use another name.')
  return key
}

function scalarKey(key: { readonly value: unknown; readonly source?: string | undefined }): string {
  return typeof key.value === 'string' ? key.value : (key.source ?? String(key.value))
}

function scalarOf(value: unknown, offset: number): unknown {
  if (typeof value === 'string' && /\p{Surrogate}/u.test(value))
    throw new YamlReadError('text contains half a surrogate pair', offset, 'Write the complete character.')
  if (typeof value !== 'bigint') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

function startOf(node: unknown): number {
  return isScalar(node) || isSeq(node) || isMap(node) || isAlias(node) ? (node.range?.[0] ?? 0) : 0
}

function nestingError(offset: number): YamlReadError {
  return new YamlReadError(`values nest deeper than ${maxDepth} levels`, offset, 'Flatten the file.')
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message
}
