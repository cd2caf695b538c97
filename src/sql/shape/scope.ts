import type { Dialect } from '../../enums/dialect.js'
import { plainName } from '../tables/table-schema.js'
import type { AstObject } from './ast.js'
import { foldColumn } from './identifier-folding.js'
import type { Expression, SourceId } from './query-shape.js'

/** A table in FROM as names see it. */
export interface Source {
  readonly id: SourceId
  /** Alias, or the table's own name. */
  readonly label: string
  /** Full name where the table has no alias, so that `schema.table.column` finds it. */
  readonly fullName: string | undefined
  /** Positions of the outputs by name: of a derived table, of a function with named columns. */
  readonly columns: ReadonlyMap<string, number>
  /** All columns of a table, where a schema tells them. */
  readonly known: ReadonlySet<string> | undefined
  /** How many outputs there are; undefined for tables and after `SELECT *`, which can have others. */
  readonly width: number | undefined
  /** Whether no `*` shows its columns and no bare name means one: a semi join only asks whether there are rows. */
  isHidden?: true
}

/** A CTE in sight; its body is read anew for each reference. */
export interface CteBinding {
  readonly name: string
  readonly body: unknown
  /** Names given to its columns, as in `WITH c(a, b) AS …`. */
  readonly columns: readonly string[]
  /** Where the names in its body are looked up. */
  readonly scope: Scope
  /** `recursive`: its body may name itself; `self`: it is that body being read, its name means the rows so far. */
  readonly kind: 'plain' | 'recursive' | 'self'
  /** Whether anything has named it. */
  used: boolean
}

/** Name of the table that a recursive CTE is inside its own body. */
export const recursiveTableName = '(rows so far)'

/** The meaning of names inside one SELECT, and around it. */
export interface Scope {
  readonly parent: Scope | undefined
  readonly sources: Source[]
  /** FROM holds something that is kept as written: names stay as written too. */
  opaque: boolean
  readonly ctes: Map<string, CteBinding>
  /** Columns merged by USING. */
  readonly merged: Map<string, Expression>
  /** Outputs by alias, where the clause being read may name them. */
  aliases: ReadonlyMap<string, Expression>
  /** Aliases of the SELECT's outputs: SQLite lets WHERE name them. */
  outputNames: ReadonlySet<string>
  /** Named windows of the SELECT, as the parser gives them. */
  readonly windows: Map<string, AstObject>
}

export function nestedScope(parent: Scope | undefined): Scope {
  return {
    parent,
    sources: [],
    opaque: false,
    ctes: new Map(),
    merged: new Map(),
    aliases: new Map(),
    outputNames: new Set(),
    windows: new Map(),
  }
}

export function findCte(scope: Scope | undefined, name: string): CteBinding | undefined {
  if (scope === undefined) return undefined
  const cte = scope.ctes.get(name)
  if (cte === undefined) return findCte(scope.parent, name)
  cte.used = true
  return cte
}

/** Binds `qualifier.name`; a qualifier that is no table in sight stays part of the name. */
export function resolveQualified(scope: Scope, qualifier: string, name: string): Expression {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent) {
    const source = at.sources.find((candidate) => matchesQualifier(candidate, qualifier))
    if (source !== undefined) return columnOf(source, name)
    if (at.opaque) break
  }
  return { kind: 'column', source: undefined, name: `${qualifier}.${name}` }
}

export function isSource(scope: Scope | undefined, qualifier: string): boolean {
  if (scope === undefined) return false
  return (
    scope.sources.some((source) => matchesQualifier(source, qualifier)) || isSource(scope.parent, qualifier)
  )
}

/**
 * Binds a bare name where only one table in scope can have it; a valid query leaves no other choice. The
 * alias of a table may stand for its row: bound to that table, the name cannot mean another one.
 */
export function resolveUnqualified(scope: Scope, name: string): Expression {
  const given = scope.aliases.get(name) ?? scope.merged.get(name)
  if (given !== undefined) return given
  const unbound: Expression = { kind: 'column', source: undefined, name }
  const visible = scope.sources.filter(({ isHidden }) => isHidden !== true)
  const possible = sourcesOf(visible, name)
  const [only] = possible
  if (only !== undefined && possible.length === 1 && !scope.opaque) {
    const column = columnOf(only, name)
    return isColumn(only, name) ? column : withOuter(column, scope.parent)
  }
  const row = visible.find((source) => matchesQualifier(source, name))
  if (row !== undefined) return columnOf(row, name)
  const isOuter = possible.length === 0 && scope.parent !== undefined && !scope.opaque
  return isOuter && scope.parent !== undefined ? resolveUnqualified(scope.parent, name) : unbound
}

/** The tables that a bare name may be a column of: those that are known to have it, else those that are not known. */
export function sourcesOf(visible: readonly Source[], name: string): readonly Source[] {
  const knowing = visible.filter((source) => isColumn(source, name))
  if (knowing.length > 0) return knowing
  return visible.filter((source) => source.width === undefined && source.known === undefined)
}

type Column = Expression & { kind: 'column' }

/** The column as one that may be of a query around its own. */
function withOuter(column: Column, around: Scope | undefined): Column {
  const hasTables = (scope: Scope | undefined): boolean =>
    scope !== undefined && !scope.opaque && (scope.sources.length > 0 || hasTables(scope.parent))
  if (around === undefined || !hasTables(around)) return column
  const outer = resolveUnqualified(around, column.name)
  if (outer.kind !== 'column' || (outer.source === undefined && cannotBeColumn(around, column.name)))
    return column
  return { ...column, outer: { source: outer.source, output: outer.output } }
}

function isColumn(source: Source, name: string): boolean {
  return source.columns.has(name) || source.known?.has(plainName(name)) === true
}

/** Whether a table in FROM has a column of that name; undefined where no schema tells of all of them. */
export function mayHaveColumn(scope: Scope, name: string): boolean | undefined {
  if (scope.merged.has(name) || scope.sources.some((source) => isColumn(source, name))) return true
  const isOpen = scope.sources.some((source) => source.width === undefined && source.known === undefined)
  return isOpen || scope.opaque ? undefined : false
}

/** Whether a schema says that the bound table has the column. */
export function isKnownColumn(scope: Scope | undefined, id: SourceId | undefined, name: string): boolean {
  if (scope === undefined || id === undefined) return false
  const source = scope.sources.find((candidate) => candidate.id === id)
  return source === undefined
    ? isKnownColumn(scope.parent, id, name)
    : source.known?.has(plainName(name)) === true
}

/** Whether no table in sight can have such a column: all of them are known, and none has. */
export function cannotBeColumn(scope: Scope | undefined, name: string): boolean {
  if (scope === undefined) return true
  if (scope.opaque || scope.aliases.has(name) || scope.merged.has(name) || scope.outputNames.has(name))
    return false
  const mayHave = (source: Source): boolean =>
    isColumn(source, name) ||
    matchesQualifier(source, name) ||
    (source.width === undefined && source.known === undefined)
  return !scope.sources.some(mayHave) && cannotBeColumn(scope.parent, name)
}

/** Snowflake's `$2` and `t.$2`: the second column; undefined where it is not known which table or column that is. */
export function resolvePosition(
  scope: Scope,
  qualifier: string | undefined,
  place: number,
): Expression | undefined {
  const [only, second] = scope.sources
  const isOnly = second === undefined && !scope.opaque
  const named = scope.sources.find((source) => qualifier !== undefined && matchesQualifier(source, qualifier))
  const source = qualifier === undefined ? (isOnly ? only : undefined) : named
  if (source === undefined) return undefined
  const known = source.known === undefined ? undefined : [...source.known][place - 1]
  if (known !== undefined) return columnOf(source, foldColumn({ name: known, quoted: false }, 'ansi'))
  if (source.width === undefined || place > source.width) return undefined
  const [name] = [...source.columns].find(([, position]) => position === place - 1) ?? []
  return { kind: 'column', source: source.id, name: name ?? `column ${place}`, output: place - 1 }
}

/** Whether the table may be called by the last parts of its name, as `shop.orders` by `orders`. */
function mayBePartOf(source: Source, qualifier: string): boolean {
  return source.label === qualifier || source.fullName?.split('.').includes(qualifier) === true
}

/**
 * The column that `a.b` is a field of, where `a` is no table: the only table in sight must have it. Undefined where
 * that is not certain.
 */
export function resolveField(scope: Scope, column: string): Expression | undefined {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.parent)
    if (at.opaque || at.sources.some((source) => mayBePartOf(source, column))) return undefined
  const bound = resolveUnqualified({ ...scope, aliases: new Map() }, column)
  return bound.kind === 'column' && bound.source !== undefined ? bound : undefined
}

function matchesQualifier(source: Source, qualifier: string): boolean {
  return source.label === qualifier || source.fullName === qualifier
}

function columnOf(source: Source, name: string): Column {
  return { kind: 'column', source: source.id, name, output: source.columns.get(name) }
}

/** Where a CTE may name itself without RECURSIVE; elsewhere the name then means a table. */
export const allowsImplicitRecursion: ReadonlySet<Dialect> = new Set(['sqlite', 'snowflake'])

/** Whether the body may name itself; reading it twice to see multiplies with every CTE that reads another. */
export function mentions(body: unknown, name: string): boolean {
  return JSON.stringify(body)
    .toLowerCase()
    .includes(JSON.stringify(name.replaceAll('"', '')).toLowerCase())
}
