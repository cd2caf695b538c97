import { certainlyAggregates } from '../relational/known-functions.js'
import { aliasesInWhere, namedOutputs, resolveGroupKeys, withLateralAlias } from './aliases.js'
import { type AstObject, asIdentifier, asList, asNode, asObject, bodyOf, semanticEntries } from './ast.js'
import { readFrom } from './from.js'
import { expandGroupByAll, expandOrderByAll } from './group-by-all.js'
import { foldColumn, foldName } from './identifier-folding.js'
import { withLateralViews } from './laterals.js'
import { isBareName, resolveOutputPosition } from './output-references.js'
import {
  type Expression,
  type FromNode,
  field,
  type OrderItem,
  type QueryShape,
  type SelectShape,
  type SetShape,
} from './query-shape.js'
import type { QueryUse, ReadContext } from './read-context.js'
import { rewriteExpression, withChanges } from './rewrite-query.js'
import { nestedScope, resolveQualified, type Scope } from './scope.js'
import { expandStar, type Output } from './stars.js'
import { readValue } from './unmodelled-nodes.js'
import { readOrderItem } from './window.js'

/** Reads a SELECT; its own WITH is already bound in `outer`. */
export function readSelect(body: AstObject, outer: Scope, use: QueryUse, context: ReadContext): SelectShape {
  const scope = nestedScope(outer)
  for (const item of asList(body['windows'])) {
    const name = asIdentifier(asObject(item)?.['name'])
    const spec = asObject(asObject(item)?.['spec'])
    if (name !== undefined && spec !== undefined) scope.windows.set(foldName(name, context.dialect), spec)
  }
  const tables = bindLate(readFrom(body, scope, context), scope, context)
  const from = withLateralViews(tables, body['lateral_views'], scope, context)
  scope.outputNames = writtenAliases(body, context)
  const clause = (key: string): Expression | undefined => readClause(body[key], scope, context)
  const shown = asList(body['expressions']).map((item) => {
    const output = readOutput(item, scope, context)
    scope.aliases = withLateralAlias(scope.aliases, output.expression, output.name, scope, context.dialect)
    return output
  })
  const listed = shown.flatMap((output) => expandStar(output, scope))
  const outputs = listed.map((output) => output.expression)
  const names = listed.map((output) => output.name)
  scope.aliases = aliasesInWhere(outputs, names, scope, context.dialect)
  const where = clause('where_clause')
  scope.aliases = new Map()
  const named = namedOutputs(outputs, names, where, scope, context.dialect)
  const groupBy = asObject(body['group_by']) ?? {}
  scope.aliases = named.whereNoColumn
  const qualify = clause('qualify')
  const grouping = asList(groupBy['expressions']).map((item) =>
    resolveOutputPosition(context.expression(item, scope), outputs),
  )
  const isAll = groupBy['all'] === true && grouping.length === 0
  const all = isAll ? expandGroupByAll(outputs, context.dialect) : undefined
  const keys = all ?? withRollup(resolveGroupKeys(grouping, context.dialect))
  scope.aliases = named.inGroups(keys)
  const written = clause('having')
  const having = written && named.overGroups(written, keys)
  const isGrouped = keys.length > 0 || outputs.some(certainlyAggregates)
  const inOrder = isGrouped ? named.inGroups(keys) : named.whereNoColumn
  const ordering = asList(asObject(body['order_by'])?.['expressions'])
  const orderBy = ordering.flatMap((item): readonly OrderItem[] => {
    const written = asObject(item)?.['this']
    scope.aliases = isBareName(written, context.dialect) ? named.all : inOrder
    const order = readOrderItem(item, scope, context)
    const items =
      ordering.length === 1 ? expandOrderByAll(order, written, outputs, context.dialect) : undefined
    return items ?? [{ ...order, by: resolveOutputPosition(order.by, outputs) }]
  })
  const distinctOn = asList(body['distinct_on']).map((item) => {
    scope.aliases = isBareName(item, context.dialect) ? named.all : inOrder
    return resolveOutputPosition(context.expression(item, scope), outputs)
  })
  scope.aliases = new Map()
  return {
    kind: 'select',
    distinct: body['distinct'] === true,
    outputs,
    names,
    from,
    where,
    groupBy: keys,
    having,
    qualify,
    orderBy,
    ...readBounds(body, scope, context),
    positional: use === 'positional',
    extras: [
      ...semanticEntries(groupBy, new Set(all === undefined ? ['expressions'] : ['expressions', 'all'])).map(
        ([key, part]) => field(`group_by.${key}`, readValue(part, scope, context)),
      ),
      ...orderExtras(body['order_by'], scope, context),
      ...(distinctOn.length > 0 ? [field('distinct_on', ...distinctOn)] : []),
      ...unmodelled(body, selectParts, scope, context),
    ],
  }
}

const selectParts: ReadonlySet<string> = new Set([
  'expressions',
  'from',
  'joins',
  'where_clause',
  'group_by',
  'having',
  'qualify',
  'order_by',
  'limit',
  'offset',
  'fetch',
  'top',
  'distinct',
  'with',
  'windows',
  'lateral_views',
  'distinct_on',
  'qualify_after_window',
])

/** `GROUP BY a, b WITH ROLLUP`: the parser puts a ROLLUP of nothing after the keys. */
function withRollup(keys: readonly Expression[]): readonly Expression[] {
  const last = keys.at(-1)
  const isSuffix =
    last?.kind === 'apply' && (last.op === 'rollup' || last.op === 'cube') && last.args.length === 0
  return isSuffix && keys.length > 1 ? [{ ...last, args: keys.slice(0, -1) }] : keys
}

function readClause(value: unknown, scope: Scope, context: ReadContext): Expression | undefined {
  const clause = asObject(value)
  return clause === undefined ? undefined : context.expression(clause['this'], scope)
}

/** In SQLite an ON may name a table that is joined only later. */
function bindLate(from: FromNode | undefined, scope: Scope, context: ReadContext): FromNode | undefined {
  if (from?.kind !== 'join' || context.dialect !== 'sqlite') return from
  const bind = (part: Expression): Expression => {
    const name =
      part.kind === 'column' && part.source === undefined ? /^([^."]+)\.([^."]+)$/u.exec(part.name) : null
    return name?.[1] === undefined || name[2] === undefined ? part : resolveQualified(scope, name[1], name[2])
  }
  const rewrite = { expression: bind, query: (query: QueryShape): QueryShape => query }
  const walk = (node: FromNode): FromNode =>
    node.kind === 'join'
      ? withChanges(node, {
          left: walk(node.left),
          right: walk(node.right),
          on: node.on && rewriteExpression(node.on, rewrite),
        })
      : node
  return walk(from)
}

function writtenAliases(body: AstObject, context: ReadContext): ReadonlySet<string> {
  const aliases = asList(body['expressions']).flatMap(
    (item) => asIdentifier(bodyOf(item, 'alias')?.['alias']) ?? [],
  )
  return new Set(aliases.map((alias) => foldColumn(alias, context.dialect)))
}

/** An output's alias only names it. */
function readOutput(value: unknown, scope: Scope, context: ReadContext): Output {
  const node = asNode(value)
  const body = asObject(node?.body)
  if (node?.tag === 'alias' && body !== undefined && asList(body['column_aliases']).length === 0) {
    const alias = asIdentifier(body['alias'])
    const name = alias === undefined ? undefined : foldColumn(alias, context.dialect)
    return { expression: context.expression(body['this'], scope), name }
  }
  const expression = context.expression(value, scope)
  const column =
    node?.tag === 'column'
      ? asIdentifier(body?.['name'])
      : node?.tag === 'dot'
        ? asIdentifier(body?.['field'])
        : undefined
  return { expression, name: column === undefined ? undefined : foldColumn(column, context.dialect) }
}

export function orderExtras(value: unknown, scope: Scope, context: ReadContext): Expression[] {
  const rest = semanticEntries(asObject(value) ?? {}, new Set(['expressions']))
  return rest.map(([key, part]) => field(`order_by.${key}`, readValue(part, scope, context)))
}

type Bounds = Pick<SetShape, 'limit' | 'offset'>

/** LIMIT, FETCH FIRST n ROWS ONLY and TOP n say the same; `LIMIT ALL` says nothing, and arrives as a column. */
function readBounds(body: AstObject, scope: Scope, context: ReadContext): Bounds {
  const offset = offsetOf(readClause(body['offset'], scope, context))
  for (const [clause, key] of [
    ['limit', 'this'],
    ['fetch', 'count'],
    ['top', 'this'],
  ] as const) {
    const bound = asObject(body[clause])
    if (bound !== undefined && isPlainBound(bound, key))
      return { limit: limitOf(context.expression(bound[key], scope)), offset }
  }
  return { limit: undefined, offset }
}

function isPlainBound(bound: AstObject, key: string): boolean {
  const rest = semanticEntries(bound, new Set([key, 'direction', 'rows', 'parenthesized']))
  return rest.length === 0 && bound[key] !== null && bound[key] !== undefined
}

export function limitOf(limit: Expression): Expression | undefined {
  return limit.kind === 'column' && limit.name === 'all' ? undefined : limit
}

/** `OFFSET 0` leaves nothing out. */
export function offsetOf(offset: Expression | undefined): Expression | undefined {
  const isNone = offset?.kind === 'literal' && offset.type === 'number' && offset.value === '0'
  return isNone ? undefined : offset
}

/** Clauses of the SELECT that the shape has no field for, and limits that are more than a number (WITH TIES, PERCENT, two of them). */
function unmodelled(
  body: AstObject,
  known: ReadonlySet<string>,
  scope: Scope,
  context: ReadContext,
): Expression[] {
  const bounds = ['limit', 'fetch', 'top'].filter((key) => asObject(body[key]) !== undefined)
  const plain =
    bounds.length === 1 &&
    bounds.every((key) => isPlainBound(asObject(body[key]) ?? {}, key === 'fetch' ? 'count' : 'this'))
  const rest = semanticEntries(body, known).map(([key, part]) => field(key, readValue(part, scope, context)))
  return plain ? rest : [...rest, ...bounds.map((key) => field(key, readValue(body[key], scope, context)))]
}
