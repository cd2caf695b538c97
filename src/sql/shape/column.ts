import type { Dialect } from '../../enums/dialect.js'
import {
  type AstIdentifier,
  type AstNode,
  type AstObject,
  asIdentifier,
  asNode,
  asObject,
  semanticEntries,
} from './ast.js'
import { foldColumn, foldName, foldTable } from './identifier-folding.js'
import { apply, type Expression, field, word } from './query-shape.js'
import type { ReadContext } from './read-context.js'
import {
  cannotBeColumn,
  findCte,
  isKnownColumn,
  isSource,
  resolveField,
  resolvePosition,
  resolveQualified,
  resolveUnqualified,
  type Scope,
} from './scope.js'
import { readUnmodelled, readValue } from './unmodelled-nodes.js'

/** A column, bound to its table; SQLite reads a name in double quotes as a text where no column has it. */
export function readColumn(node: AstNode, body: AstObject, scope: Scope, context: ReadContext): Expression {
  const name = asIdentifier(body['name'])
  const table = asIdentifier(body['table'])
  if (name === undefined || semanticEntries(body, nameAndTable).length > 0)
    return readUnmodelled(node, scope, context)
  // The library reads `a = NOT b` as a column NOT with the alias b.
  if (table === undefined && !name.quoted && name.name.toUpperCase() === 'NOT')
    context.refuse('NOT stands where an operand belongs: in brackets it is read')
  const folded = foldColumn(name, context.dialect)
  const place =
    context.dialect === 'snowflake' && !name.quoted ? /^\$(\d{1,4})$/u.exec(name.name)?.[1] : undefined
  if (table !== undefined) {
    const qualifier = foldTable([table], context.dialect)
    const placed = place === undefined ? undefined : resolvePosition(scope, qualifier, Number(place))
    return (
      placed ?? fieldOf(table, name, qualifier, scope, context) ?? resolveQualified(scope, qualifier, folded)
    )
  }
  const quotedInSqlite = context.dialect === 'sqlite' && name.quoted && cannotBeColumn(scope, folded)
  if (quotedInSqlite && context.isDoubleQuoted(asObject(body['name'])?.['span']))
    return { kind: 'literal', type: 'text', value: name.name }
  const column = resolveUnqualified(scope, folded)
  const isNamed = scope.aliases.has(folded) || scope.merged.has(folded)
  if (context.dialect !== 'sqlite' || column.kind !== 'column' || isNamed || column.output !== undefined)
    return column
  if (isKnownColumn(scope, column.source, folded)) return column
  const quoted = name.quoted && context.isDoubleQuoted(asObject(body['name'])?.['span'])
  return quoted ? { ...column, maybeText: name.name } : column
}

/** Dialects in which `a.b` may be field `b` of column `a`. */
const hasFields: ReadonlySet<Dialect> = new Set(['ansi', 'bigquery', 'duckdb', 'trino', 'presto', 'spark'])

function fieldOf(
  column: AstIdentifier,
  field: AstIdentifier,
  qualifier: string,
  scope: Scope,
  { dialect }: ReadContext,
): Expression | undefined {
  if (!hasFields.has(dialect) || field.name === '*' || isSource(scope, qualifier)) return undefined
  const bound = resolveField(scope, foldColumn(column, dialect))
  return bound && apply('dot', bound, word(foldName(field, dialect)))
}

/** Snowflake's `$2`, which stands for the second column where there is one table. */
export function readParameter(
  node: AstNode,
  body: AstObject,
  scope: Scope,
  context: ReadContext,
): Expression {
  const isPlace =
    context.dialect === 'snowflake' && body['style'] === 'Dollar' && typeof body['index'] === 'number'
  const placed = isPlace ? resolvePosition(scope, undefined, Number(body['index'])) : undefined
  return placed ?? readUnmodelled(node, scope, context)
}

const nameAndTable: ReadonlySet<string> = new Set(['name', 'table'])

/** `a.b.c`: a column of table `a.b`, or field `c` of column `a.b`. */
export function readPath(node: AstNode, scope: Scope, context: ReadContext): Expression {
  const body = asObject(node.body) ?? {}
  const last = asIdentifier(body['field'])
  const path = tablePath(body['this'])
  if (last === undefined) return readUnmodelled(node, scope, context)
  if (path !== undefined) {
    const table = foldTable(path, context.dialect)
    if (isSource(scope, table)) return resolveQualified(scope, table, foldColumn(last, context.dialect))
  }
  return apply('dot', context.expression(body['this'], scope), word(foldName(last, context.dialect)))
}

function tablePath(value: unknown): { name: string; quoted: boolean }[] | undefined {
  const node = asNode(value)
  const body = asObject(node?.body) ?? {}
  if (node?.tag === 'column') {
    const [table, name] = [asIdentifier(body['table']), asIdentifier(body['name'])]
    return table === undefined || name === undefined ? undefined : [table, name]
  }
  const last = asIdentifier(body['field'])
  const before = node?.tag === 'dot' ? tablePath(body['this']) : undefined
  return before === undefined || last === undefined ? undefined : [...before, last]
}

/** `*` and `t.*`; what it leaves out or merges is kept beside it. */
export function readStar(body: AstObject, scope: Scope, context: ReadContext): Expression {
  const table = asIdentifier(body['table'])
  const [only] = scope.sources
  const all: Expression = {
    kind: 'column',
    source: scope.sources.length === 1 ? only?.id : undefined,
    name: '*',
  }
  const star = table === undefined ? all : resolveQualified(scope, foldTable([table], context.dialect), '*')
  const changes = semanticEntries(body, new Set(['table'])).map(([key, part]) =>
    field(key, readValue(part, scope, context)),
  )
  const merged = table === undefined ? [...scope.merged.keys()].sort() : []
  if (merged.length > 0) changes.push(field('merged', ...merged.map(word)))
  return changes.length === 0 ? star : apply('star', star, ...changes)
}

/** A table inside a clause that is not modelled; the name of a CTE stands for its body. */
export function readTableName(
  node: AstNode,
  body: AstObject,
  scope: Scope,
  context: ReadContext,
): Expression {
  const name = asIdentifier(body['name'])
  const cte =
    name === undefined || asIdentifier(body['schema'])
      ? undefined
      : findCte(scope, foldName(name, context.dialect))
  if (cte === undefined || cte.kind === 'self') return readUnmodelled(node, scope, context)
  return apply('table', { kind: 'query', query: context.cte(cte) }, readUnmodelled(node, scope, context))
}
