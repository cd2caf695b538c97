import type { Dialect } from '../../enums/dialect.js'
import { type Schema, tableOf } from '../tables/table-schema.js'
import {
  type AstNode,
  type AstObject,
  asIdentifier,
  asIdentifiers,
  asList,
  asNode,
  asObject,
  semanticEntries,
} from './ast.js'
import { readExpression } from './expression.js'
import { foldColumn, foldName } from './identifier-folding.js'
import { createOperatorGrouper } from './operator-grouping.js'
import { type Expression, field, firstSelect, type QueryShape, type SetShape } from './query-shape.js'
import { readQueryTail } from './query-tail.js'
import type { QueryUse, ReadContext } from './read-context.js'
import { allowsImplicitRecursion, type CteBinding, mentions, nestedScope, type Scope } from './scope.js'
import { readSelect } from './select.js'
import { alignByName, columnNameFields, isByName, matchingParts } from './set-operation-by-name.js'
import { associate, type SetTag, setTagOf } from './set-operations.js'
import { readUnmodelled, readValue } from './unmodelled-nodes.js'
import { readValues } from './values.js'

/** More tables than this after CTEs are unfolded, or deeper nesting, is not compared. */
const maxSources = 3000
const maxQueryDepth = 310
const maxExpressionDepth = 600

export type ReadOutcome =
  | { readonly kind: 'query'; readonly shape: QueryShape }
  | { readonly kind: 'refused'; readonly reason: string }

/** Reads the tree of one query into its shape. */
export function readQueryTree(
  tree: unknown,
  sql: string,
  dialect: Dialect,
  schema: Schema | undefined,
): ReadOutcome {
  let refusal: string | undefined
  let sources = 0
  const refuse = (reason: string): void => {
    refusal ??= reason
  }
  const limited = <T>(limit: number): ((read: () => T, otherwise: T) => T) => {
    let depth = 0
    return (read, otherwise) => {
      if (depth >= limit) refuse('The query is nested too deeply to be compared')
      if (refusal !== undefined) return otherwise
      depth++
      const value = read()
      depth--
      return value
    }
  }
  const query = limited<QueryShape>(maxQueryDepth)
  const expression = limited<Expression>(maxExpressionDepth)
  const context: ReadContext = {
    dialect,
    knownColumns: (table) => columnsOf(schema, table),
    refuse,
    nextSource: () => {
      if (++sources > maxSources)
        refuse(`The query reads more than ${maxSources} tables once its CTEs are unfolded`)
      return sources
    },
    expression: (value, scope) => expression(() => readExpression(value, scope, context), nothing),
    grouped: createOperatorGrouper(dialect),
    query: (value, scope, use) => query(() => readQuery(value, scope, use, context), emptyQuery),
    cte: (cte) => readCte(cte, context),
    isDoubleQuoted: (span) => quoteAt(sql, span) === '"',
  }
  const shape = context.query(tree, nestedScope(undefined), 'rows')
  return refusal === undefined ? { kind: 'query', shape } : { kind: 'refused', reason: refusal }
}

function columnsOf(schema: Schema | undefined, table: string): ReadonlySet<string> | undefined {
  const known = schema === undefined ? undefined : tableOf(schema, table)
  return known && new Set(known.columns.keys())
}

const nothing: Expression = { kind: 'literal', type: 'null', value: 'null' }
const emptyQuery: SetShape = {
  kind: 'set',
  operation: 'values',
  all: true,
  operands: [],
  orderBy: [],
  limit: undefined,
  offset: undefined,
  extras: [],
}

/** Spans count code points. */
function quoteAt(sql: string, span: unknown): string | undefined {
  const start = asObject(span)?.['start']
  return typeof start !== 'number'
    ? undefined
    : /[\u{10000}-\u{10ffff}]/u.test(sql)
      ? [...sql][start]
      : sql[start]
}

function readQuery(value: unknown, outer: Scope, use: QueryUse, context: ReadContext): QueryShape {
  const node = asNode(value)
  const body = asObject(node?.body) ?? {}
  const tag = setTagOf(node)
  if (tag !== undefined && node !== undefined) return readSetOperation(node, outer, context)
  switch (node?.tag) {
    case 'select':
      return withCtes(body['with'], outer, context, (scope) => readSelect(body, scope, use, context))
    case 'subquery':
      return readGroup(body, outer, use, context)
    case 'paren':
      return context.query(body['this'], outer, use)
    case 'values':
      return readValues(body, outer, use, context) ?? unmodelledQuery(node, outer, context)
    // DuckDB's statements that give rows, in FROM; the whole text is never one of these.
    case 'pivot':
    case 'unpivot':
    case 'describe':
      return unmodelledQuery(node, outer, context)
    default:
      context.refuse(
        `Not a query: it ${node === undefined ? 'is empty' : `has ${node.tag.toUpperCase()} where a SELECT belongs`}`,
      )
      return emptyQuery
  }
}

function unmodelledQuery(node: AstNode, outer: Scope, context: ReadContext): QueryShape {
  return { ...emptyQuery, extras: [readUnmodelled(node, outer, context)] }
}

/** Binds the CTEs, each seeing those before it; one that nothing names is kept as written. */
function withCtes<T extends QueryShape>(
  value: unknown,
  outer: Scope,
  context: ReadContext,
  read: (scope: Scope) => T,
): T {
  const body = asObject(value)
  if (body === undefined) return read(outer)
  const bindings: CteBinding[] = []
  let scope = outer
  for (const item of asList(body['ctes'])) {
    const cte = asObject(item) ?? {}
    const name = asIdentifier(cte['alias'])
    const folded = name === undefined ? '' : foldName(name, context.dialect)
    const columns = asIdentifiers(cte['columns']).map((column) => foldColumn(column, context.dialect))
    const isRecursive =
      body['recursive'] === true ||
      (allowsImplicitRecursion.has(context.dialect) && setTagOf(asNode(cte['this'])) === 'union')
    const kind = isRecursive ? 'recursive' : 'plain'
    const binding: CteBinding = { name: folded, body: cte['this'], columns, scope, kind, used: false }
    bindings.push(binding)
    scope = nestedScope(scope)
    scope.ctes.set(folded, binding)
  }
  const query = read(scope)
  const unused = bindings.filter((binding) => !binding.used)
  const extras = [
    ...unused.map((binding) => field(`with.${binding.name}`, { kind: 'query', query: context.cte(binding) })),
    ...semanticEntries(body, withParts).map(([key, part]) =>
      field(`with.${key}`, readValue(part, scope, context)),
    ),
  ]
  return extras.length === 0 ? query : { ...query, extras: [...query.extras, ...extras] }
}

const withParts: ReadonlySet<string> = new Set(['ctes', 'recursive'])

/** The rows of a CTE; a recursive one is a fixpoint whose body names itself. */
function readCte(cte: CteBinding, context: ReadContext): QueryShape {
  if (cte.kind !== 'recursive' || !mentions(cte.body, cte.name))
    return context.query(cte.body, cte.scope, 'rows')
  const plain = context.query(cte.body, cte.scope, 'rows')
  const names = cte.columns.length > 0 ? cte.columns : (firstSelect(plain)?.names ?? [])
  const inner = nestedScope(cte.scope)
  const self: CteBinding = { ...cte, columns: names.map((name) => name ?? ''), kind: 'self', used: false }
  inner.ctes.set(cte.name, self)
  const query = context.query(cte.body, inner, 'positional')
  return self.used ? { ...emptyQuery, operation: 'recursive', operands: [query] } : plain
}

function readGroup(body: AstObject, outer: Scope, use: QueryUse, context: ReadContext): QueryShape {
  const rest = semanticEntries(body, new Set(['this']))
  if (rest.length === 0) return context.query(body['this'], outer, use)
  const query = context.query(body['this'], outer, 'positional')
  const bound = (key: string): unknown => asObject(body[key])?.['this']
  return {
    ...emptyQuery,
    operation: 'group',
    operands: [query],
    ...readQueryTail(body, bound, query, outer, context, groupParts),
  }
}

const groupParts: ReadonlySet<string> = new Set(['this', 'order_by', 'limit', 'offset'])

function readSetOperation(node: AstNode, outer: Scope, context: ReadContext): QueryShape {
  const { tag, body } = associate(node, context.dialect)
  return withCtes(body['with'], outer, context, (scope): QueryShape => {
    const all = body['all'] === true
    const read = [body['left'], body['right']].map((part) => context.query(part, scope, 'positional'))
    const aligned = isByName(body) ? alignByName(body, read, context) : undefined
    const operands = aligned ?? read
    const [left] = operands
    const known = aligned === undefined ? setParts : alignedParts
    const tail =
      left === undefined ? emptyQuery : readQueryTail(body, (key) => body[key], left, scope, context, known)
    return {
      ...emptyQuery,
      ...tail,
      kind: 'set',
      operation: tag,
      all,
      operands: operands.flatMap(flattenSameOperation(tag, all)),
      extras: [
        ...tail.extras,
        ...(isByName(body) && aligned === undefined ? columnNameFields(operands) : []),
      ],
    }
  })
}

/** UNION and INTERSECT chains are one operation over many operands. */
function flattenSameOperation(
  tag: SetTag,
  all: boolean,
): (query: QueryShape, at: number) => readonly QueryShape[] {
  return (query, at) => {
    if (query.kind !== 'set' || query.operation !== tag || query.all !== all) return [query]
    if (tag === 'except' && at > 0) return [query]
    const plain = query.orderBy.length === 0 && query.extras.length === 0
    return plain && query.limit === undefined && query.offset === undefined ? query.operands : [query]
  }
}

const setParts: ReadonlySet<string> = new Set([
  'left',
  'right',
  'all',
  'distinct',
  'with',
  'order_by',
  'limit',
  'offset',
])

const alignedParts: ReadonlySet<string> = new Set([...setParts, ...matchingParts])
