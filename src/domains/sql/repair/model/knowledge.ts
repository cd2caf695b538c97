import type { SqlCase } from '../../../../benchmark/case.js'
import type { Edit } from '../../../../edit/edit.js'
import type { Dialect } from '../../../../enums/dialect.js'
import type { KnowledgeAdapter } from '../../../../kb/adapter.js'
import type { KnowledgeBase, Metric, Snippet } from '../../../../kb/entry.js'
import { defaultFormat } from '../../../../kb/formats.js'
import { interpret } from '../../../../kb/interpret.js'
import type { Binding, Interpretation } from '../../../../kb/interpretation.js'
import { parseKnowledgeBase } from '../../../../kb/parse.js'
import { renderSnippet } from '../../../../kb/render.js'
import type { SlotEdit } from '../../../../kb/slots.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import {
  areEquivalent,
  isEqualIgnoringOrder,
  type Schema,
  type SqlParser,
  type SqlToken,
  type SqlTranslator,
} from '../../../../sql/index.js'

/** What the pure parts of repair need to read knowledge and queries; nothing in it reads the disk. */
export interface RepairContext {
  readonly parser: SqlParser
  /** Absent: every expected query is in the agent's dialect. */
  readonly translator: SqlTranslator | undefined
  /** Dialect of the agent's SQL, which snippets are written in. */
  readonly dialect: Dialect
  /** Dialect that an expected query is written in. */
  readonly expectedDialect: (testCase: SqlCase) => Dialect
  readonly kbFolder: string
  /** How the knowledge is written; absent: in the format of a knowledge base that names none. */
  readonly format?: KnowledgeAdapter | undefined
  readonly asOf: (testCase: SqlCase) => string
  /** The tables that a case's queries read; absent, or undefined: nothing is known of them. */
  readonly schemaOf?: ((testCase: SqlCase) => Schema | undefined) | undefined
  /** Lines that the files of the knowledge base once had, newest first; absent: nothing is known of them. */
  readonly removedLines?: readonly RemovedLine[] | undefined
  /** All cases, to see what else a metric is asked for; absent: nothing is known of others. */
  readonly benchmark?: readonly SqlCase[] | undefined
}

export interface RemovedLine {
  readonly path: string
  readonly text: string
  /** What took it out: `commit 1a2b3c4`. */
  readonly by: string
}

/** Where the knowledge is, and how it is written. */
export type KnowledgePlace = Pick<RepairContext, 'kbFolder' | 'format'>

export function knowledgeBaseOf(snapshot: Snapshot, context: KnowledgePlace): KnowledgeBase {
  return parseKnowledgeBase(snapshot, context.kbFolder, formatOf(context))
}

export function formatOf({ format = defaultFormat }: Pick<RepairContext, 'format'>): KnowledgeAdapter {
  return format
}

/** The edits of files that make these changes of slots. */
export function renderEdits(
  edits: readonly SlotEdit[],
  snapshot: Snapshot,
  context: Pick<RepairContext, 'format'>,
): Edit[] {
  return formatOf(context).render(edits, snapshot)
}

/** What edits change of the declarations of metrics. */
export function slotEditsIn(edits: readonly Edit[], context: Pick<RepairContext, 'format'>): SlotEdit[] {
  return edits.flatMap((edit) => formatOf(context).slotEditOf(edit) ?? [])
}

/** The edits after which a query says something else. */
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

/** The expected query in the agent's dialect, or undefined where it cannot be carried over. */
export function expectedSqlFor(testCase: SqlCase, context: RepairContext): string | undefined {
  const from = context.expectedDialect(testCase)
  if (from === context.dialect) return testCase.expectedSql
  const outcome = context.translator?.translate(testCase.expectedSql, from, context.dialect)
  return outcome?.kind === 'sql' ? outcome.sql : undefined
}

/**
 * Whether a metric, with these bindings, says what the case expects: `exactly`, or in any order where that asks for
 * none.
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
 * Whether with this knowledge the question means a metric, and that says what the case expects.
 *
 * @param id of the metric that it has to mean; absent: any
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

/** Whether questions ask for a metric and it says what none of them expects: what it says today is no guide to what it means. */
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

/** The metric's snippet with values; undefined where there is none, or where that is no query. */
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

/** Tokens of a query or snippet; none where it cannot be read. */
export function tokensOf(sql: string, dialect: Dialect, parser: SqlParser): readonly SqlToken[] {
  const outcome = parser.tokenize(sql, dialect)
  return outcome.kind === 'tokens' ? outcome.tokens : []
}

const tables = new WeakMap<Snippet, readonly string[]>()

/** Metrics whose snippets read only tables that the query names: cheap, to leave out those that cannot be meant. */
export function metricsOnTablesOf(query: string, kb: KnowledgeBase, context: RepairContext): Metric[] {
  const tokens = tokensOf(query, context.dialect, context.parser)
  const named = new Set(tokens.map((token) => token.value.toLowerCase()))
  return kb.metrics.filter((metric) => {
    const snippet = snippetOf(metric, kb)
    if (snippet === undefined) return false
    return tablesOf(snippet, context).every((table) => table.split('.').every((part) => named.has(part)))
  })
}

/** Tables that a snippet reads, in lower case, as they are written: with or without a schema. */
export function tablesOf(snippet: Snippet, context: RepairContext): readonly string[] {
  const known = tables.get(snippet) ?? findTables(snippet, context)
  tables.set(snippet, known)
  return known
}

/** What follows FROM and JOIN, without the query's own CTEs. */
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
