import type { JoinItem, JoinPool } from '../normalize/join-pool.js'
import { isStable } from '../relational/known-functions.js'
import {
  conjuncts,
  type Expression,
  type OrderItem,
  type SelectShape,
  type SetShape,
  type SourceId,
} from '../shape/query-shape.js'
import { someExpression } from '../shape/rewrite-query.js'
import type { QueryComponent } from '../structural-comparison.js'
import type { ColumnEquivalence } from './column-equivalence.js'
import { distinctSorted, type PrintScope, printExpression } from './expressions.js'
import { isAggregate, isWindow } from './output-kinds.js'

/** One filter, output, table, … of a query in canonical form. `Query` is a printed subquery. */
export interface Part<Query> {
  readonly component: QueryComponent
  /** The name shown to users: filter, column, table. */
  readonly role: string
  /** Keyword under which it stands in the canonical form. */
  readonly clause: string
  readonly text: string
  /** Parts of one role with one subject are versions of one another: the columns it reads. */
  readonly subject: string
  /** Whether it has one value each time, so that two of it are one. */
  isStable(): boolean
  /** The subqueries in it, and its text without them. */
  inside(): { readonly frame: string; readonly queries: readonly Query[] }
  /** Name of a derived table in the query's text. */
  readonly name?: string | undefined
}

/** Gives the scope to print in; with a list, subqueries are left out of the text and added to it. */
export type ScopeMaker<Query> = (found?: Query[]) => PrintScope

export interface TableText<Query> {
  readonly text: string
  readonly content: Query | undefined
  readonly name: string | undefined
}

/** The parts of a SELECT in canonical order. */
export function selectParts<Query>(
  select: SelectShape,
  pool: JoinPool,
  tables: readonly TableText<Query>[],
  outputTexts: readonly string[],
  scope: ScopeMaker<Query>,
  equal?: ColumnEquivalence | undefined,
): Part<Query>[] {
  const part = partMaker(scope)
  const outputs = select.outputs.map((output, at) =>
    part(...outputRole(output), 'SELECT', output, outputTexts[at]),
  )
  const conditions = equal?.others ?? [...conjuncts(select.where), ...pool.conditions]
  const classes = (equal?.texts ?? []).map((text) => plain<Query>('joins', 'join', 'WHERE', text))
  return [
    ...(select.distinct ? [plain<Query>('distinct', 'DISTINCT', 'DISTINCT', 'DISTINCT')] : []),
    ...(select.positional ? numbered(outputs) : sorted(outputs)),
    ...sorted(tables.map(tablePart)),
    ...sorted(joinParts(pool, scope)),
    ...distinct([
      ...classes,
      ...conditions.map((condition) => part(...conditionRole(condition), 'WHERE', condition)),
    ]),
    ...distinct(select.groupBy.map((key) => part('grouping', 'grouping', 'GROUP BY', key))),
    ...distinct(conjuncts(select.having).map((condition) => part('having', 'having', 'HAVING', condition))),
    ...distinct(
      conjuncts(select.qualify).map((condition) => part('windows', 'qualify', 'QUALIFY', condition)),
    ),
    ...tailParts(select, scope),
  ]
}

type Tail = Pick<SetShape, 'orderBy' | 'limit' | 'offset' | 'extras'>

/** ORDER BY, LIMIT, OFFSET and what is not modelled. */
export function tailParts<Query>(query: Tail, scope: ScopeMaker<Query>): Part<Query>[] {
  const part = partMaker(scope)
  const order = query.orderBy.map((item) => orderText(item, scope())).join(', ')
  return [
    ...(order === '' ? [] : [plain<Query>('ordering', 'ordering', 'ORDER BY', order)]),
    ...(query.limit === undefined ? [] : [part('limit', 'limit', 'LIMIT', query.limit)]),
    ...(query.offset === undefined ? [] : [part('limit', 'offset', 'OFFSET', query.offset)]),
    ...sorted(query.extras.map((extra) => part(extraComponent(extra), 'clause', 'WITH CLAUSE', extra))),
  ]
}

function partMaker<Query>(scope: ScopeMaker<Query>) {
  return (
    component: QueryComponent,
    role: string,
    clause: string,
    expression: Expression,
    printed?: string | undefined,
  ): Part<Query> => ({
    component,
    role,
    clause,
    text: printed ?? printExpression(expression, scope()),
    // Asked for only where queries differ.
    get subject() {
      return columnsOf(expression)
    },
    isStable: () => isStable(expression),
    inside: () => {
      const queries: Query[] = []
      return { frame: printExpression(expression, scope(queries)), queries }
    },
  })
}

function plain<Query>(component: QueryComponent, role: string, clause: string, text: string): Part<Query> {
  return {
    component,
    role,
    clause,
    text,
    subject: '',
    isStable: () => true,
    inside: () => ({ frame: text, queries: [] }),
  }
}

function tablePart<Query>({ text, content, name }: TableText<Query>): Part<Query> {
  const inside = content === undefined ? { frame: text, queries: [] } : { frame: '(…)', queries: [content] }
  const role = content === undefined ? 'table' : 'derived table'
  const isStable = (): boolean => true
  return {
    component: 'tables',
    role,
    clause: 'FROM',
    text,
    subject: '',
    name,
    isStable,
    inside: () => inside,
  }
}

function outputRole(output: Expression): [QueryComponent, string] {
  if (isWindow(output)) return ['windows', 'window']
  return isAggregate(output) ? ['aggregates', 'aggregate'] : ['projections', 'column']
}

/** An equation between two tables is a join condition, wherever it is written; so is a USING of which a side is not known. */
function conditionRole(condition: Expression): [QueryComponent, string] {
  const sources = new Set<SourceId>()
  someExpression(condition, (part) => {
    if (part.kind === 'column' && part.source !== undefined) sources.add(part.source)
    return false
  })
  const isJoin =
    condition.kind === 'apply' && (condition.op === 'using' || (condition.op === '=' && sources.size > 1))
  return isJoin ? ['joins', 'join'] : ['filters', 'filter']
}

/** Left joins and the joins that keep their sides apart; the tables of inner joins are just tables. */
function joinParts<Query>(pool: JoinPool, scope: ScopeMaker<Query>): Part<Query>[] {
  const lefts = pool.lefts.map((left) =>
    plain<Query>(
      'joins',
      'join',
      'JOIN',
      `LEFT JOIN ${poolText(left.right, scope())}${onText(left.on, scope())}`,
    ),
  )
  const kept = pool.items.flatMap((item) =>
    item.kind === 'kept' ? [plain<Query>('joins', 'join', 'JOIN', itemText(item, scope()))] : [],
  )
  return [...lefts, ...kept]
}

function poolText(pool: JoinPool, scope: PrintScope): string {
  const items = pool.items.map((item) => itemText(item, scope)).sort()
  const lefts = pool.lefts
    .map((left) => `LEFT JOIN ${poolText(left.right, scope)}${onText(left.on, scope)}`)
    .sort()
  const where = distinctSorted(pool.conditions, (condition) => printExpression(condition, scope))
  const texts = [items.join(', '), ...lefts, ...(where.length > 0 ? [`WHERE ${where.join(' AND ')}`] : [])]
  return items.length === 1 && texts.length === 1 ? texts.join('') : `(${texts.join(' ')})`
}

function onText(on: readonly Expression[], scope: PrintScope): string {
  const conditions = distinctSorted(on, (condition) => operandOfAnd(condition, scope))
  return conditions.length === 0 ? '' : ` ON ${conditions.join(' AND ')}`
}

function operandOfAnd(condition: Expression, scope: PrintScope): string {
  const text = printExpression(condition, scope)
  return condition.kind === 'apply' && condition.op === 'or' ? `(${text})` : text
}

function itemText(item: JoinItem, scope: PrintScope): string {
  if (item.kind !== 'kept') return scope.labels.get(item.id)?.text ?? ''
  const sides = [poolText(item.left, scope), poolText(item.right, scope)]
  const ordered = item.join === 'full' ? sides.sort() : sides
  const extras = item.extras.map((extra) => ` ${printExpression(extra, scope)}`).join('')
  return `(${ordered.join(` ${item.join.toUpperCase()} JOIN `)}${onText(item.on, scope)}${extras})`
}

function orderText(item: OrderItem, scope: PrintScope): string {
  const nulls = item.nullsFirst === undefined ? '' : item.nullsFirst ? ' NULLS FIRST' : ' NULLS LAST'
  const extras = item.extras.map((extra) => ` ${printExpression(extra, scope)}`).join('')
  return `${printExpression(item.by, scope)}${item.descending ? ' DESC' : ''}${nulls}${extras}`
}

function extraComponent(extra: Expression): QueryComponent {
  const name = extra.kind === 'apply' ? extra.op.replace('field:', '') : ''
  if (name.startsWith('group_by')) return 'grouping'
  if (name.startsWith('order_by')) return 'ordering'
  if (name.startsWith('with.')) return 'ctes'
  if (name.startsWith('distinct')) return 'distinct'
  return name === 'fetch' || name === 'top' || name.startsWith('limit') ? 'limit' : 'tables'
}

function columnsOf(expression: Expression): string {
  const names: string[] = []
  someExpression(expression, (part) => {
    if (part.kind === 'column') names.push(part.name)
    return false
  })
  return [...new Set(names)].sort().join(' ')
}

function sorted<Query>(parts: readonly Part<Query>[]): Part<Query>[] {
  return parts.toSorted((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
}

function distinct<Query>(parts: readonly Part<Query>[]): Part<Query>[] {
  const texts = new Set<string>()
  return sorted(
    parts.filter((part) => {
      const isRepeated = texts.has(part.text) && part.isStable()
      texts.add(part.text)
      return !isRepeated
    }),
  )
}

/** Where the order of the outputs counts, their places are a part of their own. */
function numbered<Query>(outputs: readonly Part<Query>[]): Part<Query>[] {
  const order = plain<Query>(
    'projections',
    'column order',
    'COLUMNS',
    outputs.map(({ text }) => text).join(', '),
  )
  return outputs.length > 1 ? [...sorted(outputs), order] : [...outputs]
}
