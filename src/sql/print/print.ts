import { createHash } from 'node:crypto'
import { type JoinPool, type LeafNode, poolJoins, poolLeaves } from '../normalize/join-pool.js'
import {
  conjuncts,
  type Expression,
  firstSelect,
  isStar,
  type OrderItem,
  type QueryShape,
  type SelectShape,
  type SetShape,
  type SourceId,
  word,
} from '../shape/query-shape.js'
import { type Part, selectParts, tailParts } from './canonical-parts.js'
import { columnEquivalenceOf, columnKey, type SameValue } from './column-equivalence.js'
import { type Column, type Label, type PrintScope, printExpression } from './expressions.js'
import { type SetColumns, setColumns } from './set-columns.js'
import { enumerateLabelings } from './table-labels.js'

/** A query in canonical form, whole and by parts. */
export interface PrintedQuery {
  readonly text: string
  /** The text as far as it does not depend on the order of the outputs. */
  readonly unordered: string
  /** Canonical text of each output in order; undefined for set operations whose outputs go by number. */
  readonly outputs: readonly string[] | undefined
  readonly parts: readonly Part<PrintedQuery>[]
  /** The operands of a set operation; empty for a SELECT. */
  readonly operands: readonly PrintedQuery[]
  /** `UNION ALL`, …; undefined for a SELECT. */
  readonly operation: string | undefined
  /** Number of tables in FROM. */
  readonly tables: number
}

export interface PrintOptions {
  /** Qualify columns even where the SELECT has a single table; for telling two queries' parts apart. */
  readonly qualify: boolean
  /** Given, columns that conditions make equal are called alike. */
  readonly sameValue?: SameValue | undefined
}

/**
 * Prints a normalised query: two queries print the same only if they mean the same, except for the order of the output
 * columns.
 */
export function printQuery(query: QueryShape, options: PrintOptions): PrintedQuery {
  const printed = printNested(query, noLabels, 0, options)
  return { ...printed, text: printed.unordered, parts: printed.parts.filter(isUnordered) }
}

function isUnordered({ clause }: Part<PrintedQuery>): boolean {
  return clause !== 'COLUMNS'
}

/** The names of the tables in scope, and which columns represent which. */
interface Labels {
  readonly tables: ReadonlyMap<SourceId, Label>
  readonly represent: ReadonlyMap<string, Column>
}

const noLabels: Labels = { tables: new Map(), represent: new Map() }

function printNested(query: QueryShape, outer: Labels, level: number, options: PrintOptions): PrintedQuery {
  return query.kind === 'select'
    ? printSelect(query, outer, level, options)
    : printSet(query, outer, level, options)
}

function scopeOf(labels: Labels, level: number, options: PrintOptions, found?: PrintedQuery[]): PrintScope {
  return {
    labels: labels.tables,
    level,
    represented:
      labels.represent.size === 0 ? undefined : (column) => labels.represent.get(columnKey(column)) ?? column,
    query: (query) => {
      const printed = printNested(query, labels, level + 1, options)
      found?.push(printed)
      return found === undefined ? printed.text : '…'
    },
  }
}

function printSelect(select: SelectShape, outer: Labels, level: number, options: PrintOptions): PrintedQuery {
  const pool = poolJoins(select.from)
  const nodes = poolLeaves(pool)
  const unlabelled = scopeOf(outer, level, options)
  const contents = nodes.map((node) =>
    node.kind === 'derived' ? printNested(node.query, outer, level + 1, options) : undefined,
  )
  const identities = nodes.map((node, at) => identify(node, contents[at], unlabelled))
  const alone = nodes.length === 1 && !options.qualify
  const candidates = enumerateLabelings(nodes, identities).map((labeling) => {
    const own = new Map(outer.tables)
    nodes.forEach((node, at) => {
      own.set(node.id, { text: labeling[at] ?? '', alone, level, outputs: contents[at]?.outputs })
    })
    const named: Labels = { tables: own, represent: outer.represent }
    const equal =
      options.sameValue === undefined
        ? undefined
        : columnEquivalenceOf(
            conditionsOf(select, pool),
            options.sameValue,
            scopeOf(named, level, options),
            outer.represent,
          )
    const labels: Labels = equal === undefined ? named : { tables: own, represent: equal.representatives }
    const tables = nodes.map((node, at) => {
      const content =
        refersToSiblings(node) && node.kind === 'derived'
          ? printNested(node.query, labels, level + 1, options)
          : contents[at]
      const isSame = content === contents[at] && node.kind !== 'function' && node.extras.length === 0
      const text = isSame ? identities[at] : identify(node, content, scopeOf(labels, level, options))
      return { text: text ?? '', content, name: nameOf(node) }
    })
    const scope = scopeOf(labels, level, options)
    const outputs = select.outputs.map((output) => printExpression(output, scope))
    const parts = selectParts<PrintedQuery>(
      select,
      pool,
      tables,
      outputs,
      (found) => (found === undefined ? scope : scopeOf(labels, level, options, found)),
      equal,
    )
    const text = render(parts)
    return {
      text,
      unordered: select.positional ? render(parts.filter(isUnordered)) : text,
      outputs: outputs.map(shorten),
      parts,
      operands: [],
      operation: undefined,
      tables: nodes.length,
    }
  })
  return candidates.reduce((best, candidate) => (candidate.text < best.text ? candidate : best))
}

function conditionsOf(select: SelectShape, pool: JoinPool): readonly Expression[] {
  return [...conjuncts(select.where), ...pool.conditions.flatMap(conjuncts)]
}

function identify(node: LeafNode, content: PrintedQuery | undefined, scope: PrintScope): string {
  const extras = node.extras.map((extra) => ` ${printExpression(extra, scope)}`).sort()
  return `${nodeText(node, content, scope)}${extras.join('')}`
}

function nodeText(node: LeafNode, content: PrintedQuery | undefined, scope: PrintScope): string {
  if (node.kind === 'table') return node.name
  return node.kind === 'function' ? printExpression(node.call, scope) : `(${content?.unordered ?? ''})`
}

function nameOf(node: LeafNode): string | undefined {
  return node.kind === 'derived' ? node.alias : undefined
}

/** Only a lateral derived table sees the other tables of its FROM. */
function refersToSiblings(node: LeafNode): boolean {
  return node.extras.some((extra) => extra.kind === 'literal' && extra.value === 'lateral')
}

/** A column of a derived table is called by its content; long contents by their hash, lest nesting multiplies them. */
function shorten(text: string): string {
  return text.length <= 200 ? text : `…${createHash('sha256').update(text).digest('hex').slice(0, 20)}`
}

const commutative: ReadonlySet<string> = new Set(['union', 'intersect'])

function printSet(query: SetShape, outer: Labels, level: number, options: PrintOptions): PrintedQuery {
  const operands = query.operands.map((operand) => printNested(operand, outer, level + 1, options))
  // Outputs go by number, and a star makes the numbers depend on which operand comes first.
  const numbered = query.operands.every((operand) => firstSelect(operand)?.outputs.some(isStar) === false)
  const operation = `${query.operation.toUpperCase()}${query.all ? ' ALL' : ''}`
  const commutes = commutative.has(query.operation) && numbered
  const isCombined = query.operands.length > 1 && numbered && query.extras.length === 0
  const columns = isCombined ? setColumns(operands, commutes) : undefined
  const ordered = columns?.operands ?? (commutes ? operands.toSorted(byText) : operands)
  const tail = columns === undefined ? query : { ...query, orderBy: query.orderBy.map(orderedBy(columns)) }
  const parts = tailParts<PrintedQuery>(tail, (found) => scopeOf(outer, level, options, found))
  const texts = ordered.map((operand) => (columns === undefined ? operand.text : operand.unordered))
  const body = texts.map((text) => `(${text})`).join(` ${operation} `)
  const whole = (order: readonly string[]): string =>
    [
      query.operands.length > 1 ? body : `${operation} ${body}`,
      ...(order.length > 1 ? [`COLUMNS ${order.join(', ')}`] : []),
      render(parts),
    ]
      .filter((part) => part !== '')
      .join(' ')
  const names = columns?.names.map(shorten)
  return {
    text: whole(names ?? []),
    unordered: whole(names?.toSorted() ?? []),
    outputs: names,
    parts,
    operands: ordered,
    operation,
    tables: 0,
  }
}

function byText(a: PrintedQuery, b: PrintedQuery): number {
  return a.text < b.text ? -1 : 1
}

/** `ORDER BY 2` by the name of that column. */
function orderedBy({ names }: SetColumns<PrintedQuery>): (item: OrderItem) => OrderItem {
  return (item) => {
    const [number] = item.by.kind === 'apply' && item.by.op === 'output' ? item.by.args : []
    const name = number?.kind === 'literal' ? names[Number(number.value) - 1] : undefined
    return name === undefined ? item : { ...item, by: word(`{${shorten(name)}}`) }
  }
}

/** The canonical text: parts by clause, each clause in its order. */
function render(parts: readonly Part<PrintedQuery>[]): string {
  const clauses = new Map<string, string[]>()
  for (const { clause, text } of parts) {
    const texts = clauses.get(clause)
    if (texts === undefined) clauses.set(clause, [text])
    else texts.push(text)
  }
  return [...clauses]
    .map(([clause, texts]) => `${clause} ${texts.join(clause === 'WHERE' ? ' AND ' : ', ')}`)
    .join(' ')
}
