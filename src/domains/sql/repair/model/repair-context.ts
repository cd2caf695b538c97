import type { SqlCase } from '../../../../benchmark/case.js'

import type { RejectedRepair } from '../../../../contracts/rejected-repair.js'
import type { Edit } from '../../../../edit/edit-types.js'

import type { Dialect } from '../../../../enums/dialect.js'
import { defaultFormat } from '../../../../kb/default-format.js'
import type { KnowledgeBase, Metric, Snippet } from '../../../../kb/entry.js'
import type { SlotEdit } from '../../../../kb/entry-slots.js'
import { interpret } from '../../../../kb/interpret-question.js'
import type { KnowledgeAdapter } from '../../../../kb/knowledge-adapter.js'
import { parseKnowledgeBase } from '../../../../kb/parse.js'
import type { Binding, Interpretation } from '../../../../kb/question-interpretation.js'
import { renderSnippet } from '../../../../kb/render-snippet.js'
import type { KnowledgeSource } from '../../../../snapshot/knowledge-source.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import {
  areEquivalent,
  isEqualIgnoringOrder,
  type Schema,
  type SqlParser,
  type SqlToken,
  type SqlTranslator,
} from '../../../../sql/index.js'

/**
 * The data and parsers that the pure parts of repair need to read knowledge and queries; nothing in it reads
 * the disk.
 */
export interface RepairContext {
  readonly parser: SqlParser
  /** Absent: every expected query is in the agent's dialect. */
  readonly translator: SqlTranslator | undefined
  /** Dialect of the agent's SQL, in which snippets are written. */
  readonly dialect: Dialect
  /** Returns the dialect of an expected query. */
  readonly expectedDialect: (testCase: SqlCase) => Dialect
  readonly kbFolder: string
  /** Format of the knowledge base; absent: the default format. */
  readonly format?: KnowledgeAdapter | undefined
  /** Knowledge in other formats; absent: none. */
  readonly sources?: readonly KnowledgeSource[] | undefined
  readonly asOf: (testCase: SqlCase) => string
  /** Returns the schema of the tables that a case's queries read; absent, or undefined: not known. */
  readonly schemaOf?: ((testCase: SqlCase) => Schema | undefined) | undefined
  /** Lines that were removed from the files of the knowledge base, newest first; absent: not known. */
  readonly removedLines?: readonly RemovedLine[] | undefined
  /** Repairs that people rejected; absent: none. */
  readonly rejected?: readonly RejectedRepair[] | undefined
  /** All cases, to see which other cases use a metric; absent: not known. */
  readonly benchmark?: readonly SqlCase[] | undefined
}

export interface RemovedLine {
  readonly path: string
  readonly text: string
  /** The change that removed the line: `commit 1a2b3c4`. */
  readonly by: string
}

/** Folder and format of the knowledge base. */
export type KnowledgePlace = Pick<RepairContext, 'kbFolder' | 'format'>

export function knowledgeBaseOf(snapshot: Snapshot, context: KnowledgePlace): KnowledgeBase {
  return parseKnowledgeBase(snapshot, context.kbFolder, formatOf(context))
}

export function formatOf({ format = defaultFormat }: Pick<RepairContext, 'format'>): KnowledgeAdapter {
  return format
}

/** Returns the text edits that make these slot changes. */
export function renderEdits(
  edits: readonly SlotEdit[],
  snapshot: Snapshot,
  context: Pick<RepairContext, 'format'>,
): Edit[] {
  return formatOf(context).render(edits, snapshot)
}

/** Returns the changes that edits make to declarations of metrics. */
export function slotEditsIn(edits: readonly Edit[], context: Pick<RepairContext, 'format'>): SlotEdit[] {
  return edits.flatMap((edit) => formatOf(context).slotEditOf(edit) ?? [])
}

/** Returns the edits that replace a query's text. */
export function rewriteQuery(
  { id, path, text }: Snippet,
  to: string,
  snapshot: Snapshot,
  context: Pick<RepairContext, 'format'>,
): Edit[] {
  const slot = { kind: 'query' } as const
  return renderEdits([{ entry: id, path, slot, action: 'set', expected: text, value: to }], snapshot, context)
}

export function interpretationOf(
  testCase: SqlCase,
  kb: KnowledgeBase,
  context: RepairContext,
): Interpretation {
  return interpret(testCase.question, kb, context.asOf(testCase))
}

/** Returns the expected query in the agent's dialect, or undefined if it cannot be translated. */
export function expectedSqlFor(testCase: SqlCase, context: RepairContext): string | undefined {
  const from = context.expectedDialect(testCase)
  if (from === context.dialect) return testCase.expectedSql
  const outcome = context.translator?.translate(testCase.expectedSql, from, context.dialect)
  return outcome?.kind === 'sql' ? outcome.sql : undefined
}

/**
 * Reports whether a metric, with these bindings, gives the query that the case expects: with `exactly`, its
 * order included; else in any order if the expected query has none.
 */
export function matchesExpected(
  testCase: SqlCase,
  metric: Metric,
  bindings: readonly Binding[],
  kb: KnowledgeBase,
  context: RepairContext,
  exactly = false,
): boolean {
  const expected = expectedSqlFor(testCase, context)
  const sql = renderQuery(metric, bindings, kb, context)
  if (sql === undefined || expected === undefined) return false
  const { parser, dialect } = context
  const schema = context.schemaOf?.(testCase)
  return (
    areEquivalent(parser, expected, sql, dialect, { schema }) ||
    (!exactly && isEqualIgnoringOrder(parser, expected, sql, dialect))
  )
}

/**
 * Reports whether the question resolves, with this knowledge, to a metric that gives the query that the case
 * expects.
 *
 * @param id of the metric that it has to resolve to; absent: any
 */
export function resolvesToExpected(
  testCase: SqlCase,
  snapshot: Snapshot,
  context: RepairContext,
  id?: string,
): boolean {
  const kb = knowledgeBaseOf(snapshot, context)
  const meaning = interpretationOf(testCase, kb, context)
  if (meaning.kind !== 'bound' || (id !== undefined && meaning.metric.id !== id)) return false
  return matchesExpected(testCase, meaning.metric, meaning.bindings, kb, context)
}

/**
 * Reports whether questions ask for a metric and it gives none of them the expected query: then today's query
 * does not show what it should mean.
 */
export function failsAllItsCases(metric: Metric, kb: KnowledgeBase, context: RepairContext): boolean {
  const own = (context.benchmark ?? []).flatMap((testCase) => {
    const meaning = interpretationOf(testCase, kb, context)
    const isOwn = meaning.kind === 'bound' && meaning.metric.id === metric.id
    return isOwn ? [{ testCase, bindings: meaning.bindings }] : []
  })
  return (
    own.length > 0 &&
    !own.some(({ testCase, bindings }) => matchesExpected(testCase, metric, bindings, kb, context))
  )
}

/** Returns the metric's snippet with values; undefined if there is none, or if it cannot be parsed. */
export function renderQuery(
  metric: Metric,
  bindings: readonly Binding[],
  kb: KnowledgeBase,
  { dialect }: Pick<RepairContext, 'dialect'>,
): string | undefined {
  const snippet = snippetOf(metric, kb)
  const rendered = snippet && renderSnippet(snippet, metric, bindings, dialect)
  return rendered?.kind === 'sql' ? rendered.sql : undefined
}

export function snippetOf(metric: Metric, kb: KnowledgeBase): Snippet | undefined {
  return kb.snippets.get(metric.snippet)
}

/** Returns the tokens of a query or snippet; none if it cannot be parsed. */
export function tokensOf(sql: string, dialect: Dialect, parser: SqlParser): readonly SqlToken[] {
  const outcome = parser.tokenize(sql, dialect)
  return outcome.kind === 'tokens' ? outcome.tokens : []
}

const tables = new WeakMap<Snippet, readonly string[]>()

/**
 * Returns metrics whose snippets read only tables of the query: a cheap filter for metrics that cannot be
 * meant.
 */
export function metricsOnTablesOf(query: string, kb: KnowledgeBase, context: RepairContext): Metric[] {
  const tokens = tokensOf(query, context.dialect, context.parser)
  const named = new Set(tokens.map((token) => token.value.toLowerCase()))
  return kb.metrics.filter((metric) => {
    const snippet = snippetOf(metric, kb)
    if (snippet === undefined) return false
    return tablesOf(snippet, context).every((table) => table.split('.').every((part) => named.has(part)))
  })
}

/** Returns the tables that a snippet reads, in lower case, as written: with or without a schema. */
export function tablesOf(snippet: Snippet, context: RepairContext): readonly string[] {
  const known = tables.get(snippet) ?? findTables(snippet, context)
  tables.set(snippet, known)
  return known
}

/** Returns the names after FROM and JOIN, without the query's own CTEs. */
function findTables(snippet: Snippet, context: RepairContext): string[] {
  const tokens = tokensOf(snippet.text, context.dialect, context.parser)
  const nameOf = (index: number): string => tokens[index]?.value.toLowerCase() ?? ''
  const ctes = new Set(
    tokens.flatMap((_, index) =>
      nameOf(index + 1) === 'as' && nameOf(index + 2) === '(' ? [nameOf(index)] : [],
    ),
  )
  return tokens.flatMap((token, index) => {
    const before = nameOf(index - 1)
    const isTable =
      (before === 'from' || before === 'join') && (token.kind === 'word' || token.kind === 'quoted')
    if (!isTable || ctes.has(nameOf(index))) return []
    let last = index
    while (nameOf(last + 1) === '.' && tokens[last + 2] !== undefined) last += 2
    return [
      tokens
        .slice(index, last + 1)
        .map((_, at) => nameOf(index + at))
        .join(''),
    ]
  })
}
