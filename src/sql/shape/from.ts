import type { Dialect } from '../../enums/dialect.js'
import {
  type AstObject,
  asIdentifier,
  asIdentifiers,
  asList,
  asNode,
  asObject,
  asText,
  bodyOf,
  semanticEntries,
} from './ast.js'
import { aliasedSubquery, isQueryTag, selectAllFrom } from './derived-ast.js'
import { crossJoin, keepUnmodelled, positionsByName, readCall, registerSource } from './from-nodes.js'
import { foldColumn, foldName, foldTable } from './identifier-folding.js'
import { mergeColumns } from './join-using.js'
import { readLateral } from './laterals.js'
import { readPivot } from './pivots.js'
import {
  apply,
  type Expression,
  type FromNode,
  field,
  firstSelect,
  isStar,
  type QueryShape,
  word,
} from './query-shape.js'
import type { ReadContext } from './read-context.js'
import { findCte, nestedScope, recursiveTableName, type Scope } from './scope.js'
import { readValue } from './unmodelled-nodes.js'
import { readArrayPath, readUnnest } from './unnest.js'

/** Reads FROM and the joins of a SELECT, and makes its tables known in the scope. */
export function readFrom(select: AstObject, scope: Scope, context: ReadContext): FromNode | undefined {
  const items = asList(asObject(select['from'])?.['expressions'])
  const joins = asList(select['joins'])
  const deferred = joins.filter((join) => asObject(join)?.['deferred_condition'] === true)
  const isChain = joins.length === deferred.length + 1 && deferred.every((join, at) => join === joins[at])
  if (deferred.length > 0 && isChain && items.length === 1)
    return joinedInside(readFromItem(items[0], scope, context), joins, scope, context)
  if (deferred.length > 0) {
    return keepUnmodelled(
      apply('nested_joins', ...[items, joins].map((part) => readValue(part, scope, context))),
      scope,
      context,
    )
  }
  return readJoins(items, joins, scope, context)
}

/**
 * A comma binds weaker than JOIN, but in SQLite, where both bind alike: `a, b RIGHT JOIN c` is a product of
 * `a` and a join elsewhere, and a join of a product there.
 */
function readJoins(
  items: readonly unknown[],
  joins: readonly unknown[],
  scope: Scope,
  context: ReadContext,
): FromNode | undefined {
  const done: FromNode[] = []
  let current: FromNode | undefined
  const comma = (value: unknown): void => {
    const next = readFromItem(value, scope, context)
    if (current !== undefined && context.dialect === 'sqlite') {
      current = crossJoin(current, next)
      return
    }
    if (current !== undefined) done.push(current)
    current = next
  }
  items.forEach(comma)
  for (const value of joins) {
    const join = asObject(value) ?? {}
    if (join['kind'] === 'Implicit') comma(join['this'])
    else if (current !== undefined) current = readJoin(join, current, scope, context)
  }
  return current === undefined ? undefined : [...done, current].reduce(crossJoin)
}

const joinKinds: ReadonlyMap<string, string> = new Map([
  ['Inner', 'inner'],
  ['Cross', 'inner'],
  ['Left', 'left'],
  ['Right', 'right'],
  ['Full', 'full'],
  ['LeftSemi', 'semi'],
  ['LeftAnti', 'anti'],
])

/** `a JOIN b JOIN c ON … ON …`: b is joined with c first, and what that gives with a. */
function joinedInside(
  left: FromNode,
  [first, ...rest]: readonly unknown[],
  scope: Scope,
  context: ReadContext,
): FromNode {
  const join = asObject(first) ?? {}
  if (rest.length === 0) return readJoin(join, left, scope, context)
  const inside = (): FromNode =>
    joinedInside(readFromItem(join['this'], scope, context), rest, scope, context)
  return readJoin({ ...join, deferred_condition: null }, left, scope, context, inside)
}

function readJoin(
  join: AstObject,
  left: FromNode,
  scope: Scope,
  context: ReadContext,
  readRight = (): FromNode => readFromItem(join['this'], scope, context),
): FromNode {
  const before = scope.sources.length
  const right = readRight()
  const written = asText(join['kind']) ?? 'unknown'
  const kind = joinKinds.get(written) ?? written.toLowerCase()
  const isHiding = /^(?:left)?_?(?:semi|anti)$/u.test(kind)
  const using = asIdentifiers(join['using']).map((name) => foldColumn(name, context.dialect))
  const on = join['on'] === null || join['on'] === undefined ? [] : [context.expression(join['on'], scope)]
  // Of a side that is hidden nothing is merged.
  const merging = isHiding ? { ...scope, merged: new Map(scope.merged) } : scope
  const conditions = [...on, ...mergeColumns(using, kind, left, right, merging)]
  if (isHiding) for (const source of scope.sources.slice(before)) source.isHidden = true
  const extras = semanticEntries(join, joinParts).map(([key, part]) =>
    field(key, readValue(part, scope, context)),
  )
  const [first, ...rest] = conditions
  const condition = first === undefined || rest.length === 0 ? first : apply('and', ...conditions)
  return { kind: 'join', join: kind, left, right, on: condition, extras }
}

const joinParts: ReadonlySet<string> = new Set(['this', 'kind', 'using', 'on'])

function readFromItem(value: unknown, scope: Scope, context: ReadContext): FromNode {
  const node = asNode(value)
  const body = asObject(node?.body) ?? {}
  switch (node?.tag) {
    case 'table':
      return readArrayPath(body, scope, context) ?? readTable(body, scope, context)
    case 'subquery':
      return readDerived(body, scope, context)
    case 'joined_table':
      return readParenthesised(value, body, scope, context)
    case 'paren':
      return readFromItem(body['this'], scope, context)
    // A query in more brackets than one.
    case 'select':
    case 'union':
    case 'intersect':
    case 'except':
      return readDerived({ this: value }, scope, context)
    case 'alias':
      return readAliased(value, body, scope, context)
    case 'function':
      return readCall(value, ownName(body, context), [], scope, context)
    case 'unnest':
      return readUnnest(body, scope, context) ?? readCall(value, [], [], scope, context)
    case 'lateral':
      return readLateral(value, body, scope, context)
    case 'pivot':
    case 'unpivot':
      return (
        readPivot(node, scope, context, readFromItem) ??
        keepUnmodelled(readValue(value, scope, context), scope, context)
      )
    default:
      return keepUnmodelled(readValue(value, scope, context), scope, context)
  }
}

function readTable(body: AstObject, scope: Scope, context: ReadContext): FromNode {
  const parts = ['catalog', 'schema', 'name'].flatMap((key) => asIdentifier(body[key]) ?? [])
  const alias = asIdentifier(body['alias'])
  const name = foldTable(parts, context.dialect)
  const columnNames = asIdentifiers(body['column_aliases']).map((column) =>
    foldColumn(column, context.dialect),
  )
  const extras = semanticEntries(body, tableParts).map(([key, part]) =>
    field(key, readValue(part, scope, context)),
  )
  const label = alias === undefined ? lastPart(parts, context) : foldName(alias, context.dialect)
  const cte = parts.length === 1 ? findCte(scope, name) : undefined
  if (cte?.kind === 'self') {
    const id = registerSource(
      scope,
      context,
      label,
      name,
      positionsByName(columnNames.length > 0 ? columnNames : cte.columns),
      cte.columns.length,
      undefined,
    )
    return { kind: 'table', id, name: recursiveTableName, extras }
  }
  if (cte !== undefined)
    return derived(
      context.cte(cte),
      columnNames.length > 0 ? columnNames : cte.columns,
      label,
      extras,
      scope,
      context,
    )
  const renamed = columnNames.length > 0 ? [field('columns', ...columnNames.map(word))] : []
  const known = columnNames.length > 0 || extras.length > 0 ? undefined : context.knownColumns(name)
  const full = alias === undefined ? name : undefined
  const id = registerSource(scope, context, label, full, new Map(), undefined, known)
  return { kind: 'table', id, name, extras: [...extras, ...renamed] }
}

const tableParts: ReadonlySet<string> = new Set(['name', 'schema', 'catalog', 'alias', 'column_aliases'])

function lastPart(parts: readonly { name: string; quoted: boolean }[], context: ReadContext): string {
  const last = parts.at(-1)
  if (last === undefined) return ''
  const name = context.dialect === 'bigquery' ? (last.name.split('.').at(-1) ?? last.name) : last.name
  return foldName({ name, quoted: last.quoted }, context.dialect)
}

function readDerived(body: AstObject, scope: Scope, context: ReadContext): FromNode {
  const lateral = body['lateral'] === true
  const outer: Scope = lateral ? scope : { ...nestedScope(scope.parent), ctes: scope.ctes }
  const columnNames = asIdentifiers(body['column_aliases']).map((column) =>
    foldColumn(column, context.dialect),
  )
  const alias = asIdentifier(body['alias'])
  const bare = { subquery: { ...body, alias: null, column_aliases: [], lateral: false } }
  const query = context.query(bare, outer, 'rows')
  const label = alias === undefined ? '' : foldName(alias, context.dialect)
  return derived(query, columnNames, label, lateral ? [word('lateral')] : [], scope, context)
}

function derived(
  query: QueryShape,
  columnNames: readonly string[],
  label: string,
  extras: readonly Expression[],
  scope: Scope,
  context: ReadContext,
): FromNode {
  const first = firstSelect(query)
  const hasStar = first?.outputs.some(isStar) ?? false
  const names = columnNames.length > 0 && !hasStar ? columnNames : (first?.names ?? [])
  const renamed = columnNames.length > 0 && hasStar ? [field('columns', ...columnNames.map(word))] : []
  const width = hasStar ? undefined : first?.outputs.length
  const id = registerSource(scope, context, label, undefined, positionsByName(names), width, undefined)
  return { kind: 'derived', id, query, alias: label || undefined, extras: [...extras, ...renamed] }
}

function readParenthesised(value: unknown, body: AstObject, scope: Scope, context: ReadContext): FromNode {
  const alias = asIdentifier(body['alias'])
  const plain = semanticEntries(body, new Set(['left', 'joins', 'alias'])).length === 0
  if (plain && alias !== undefined)
    return readDerived(
      aliasedSubquery(selectAllFrom({ joined_table: { ...body, alias: null } }), body),
      scope,
      context,
    )
  const inner = plain ? readJoins([body['left']], asList(body['joins']), scope, context) : undefined
  return inner ?? keepUnmodelled(readValue(value, scope, context), scope, context)
}

function readAliased(value: unknown, body: AstObject, scope: Scope, context: ReadContext): FromNode {
  const alias = asIdentifier(body['alias'])
  const tag = asNode(body['this'])?.tag
  const plain = semanticEntries(body, new Set(['this', 'alias', 'column_aliases'])).length === 0
  const inBrackets = tag === 'paren' ? bodyOf(body['this'], 'paren')?.['this'] : undefined
  if (alias !== undefined && plain && inBrackets !== undefined)
    return readDerived(
      aliasedSubquery(isQueryTag(inBrackets) ? inBrackets : selectAllFrom(inBrackets), body),
      scope,
      context,
    )
  if (alias === undefined || !plain || (tag !== 'function' && tag !== 'unnest')) {
    return keepUnmodelled(readValue(value, scope, context), scope, context)
  }
  const names = asIdentifiers(body['column_aliases']).map((column) => foldColumn(column, context.dialect))
  return readCall(body['this'], [foldName(alias, context.dialect)], names, scope, context)
}

/** Dialects in which a table function without an alias is called as the function is, and so is its column. */
const namesAfterFunctions: ReadonlySet<Dialect> = new Set(['postgres', 'redshift'])

function ownName(call: AstObject, { dialect }: ReadContext): readonly string[] {
  const name = asText(call['name'])
  return name === undefined || !namesAfterFunctions.has(dialect)
    ? []
    : [foldName({ name, quoted: false }, dialect)]
}
