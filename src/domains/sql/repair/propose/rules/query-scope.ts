import type { SqlToken } from '../../../../../sql/index.js'
import type { Query, Select, Source } from '../../model/sql-clauses.js'
import { containsRange, foldedName, type TokenRange } from '../../model/token-ranges.js'
import type { Term } from './sql-term.js'

/**
 * One source of a SELECT as names in it are resolved. `id` is shared by a source and its counterpart in the
 * other query.
 */
export interface ScopeSource {
  id: string
  source: Source
  /** Possible qualifiers of a column: alias, or table name and its last part. */
  readonly names: readonly string[]
  /** The qualifier that its author writes. */
  readonly written: string
  /** Table name in lower case; undefined for derived tables, functions and CTEs. */
  readonly table: string | undefined
  readonly query: Query | undefined
  /** The scope in which the names of `query` are resolved. */
  readonly queryScope: Scope
  /** Output columns with another name in the counterpart, old name → the counterpart's. */
  renames: ReadonlyMap<string, string>
}

export interface Scope {
  readonly sources: readonly ScopeSource[]
  readonly ctes: ReadonlyMap<string, ScopedCte>
  readonly parent: Scope | undefined
  /** Inlined sub-queries: `sources` has their sources instead of them. */
  readonly views?: readonly InlineView[] | undefined
  /** Expressions that are treated as one name. */
  readonly named?: readonly NamedExpression[] | undefined
  /**
   * The columns of the tables according to a schema, if bare columns may be resolved to the only table that
   * has them.
   */
  readonly known?: KnownColumns | undefined
  /**
   * Whether bare columns are resolved to its only source: further out, others may have columns of that name.
   */
  readonly ownsBare?: boolean | undefined
}

export interface KnownColumns {
  /** Returns the names of a table's columns in lower case; undefined for an unknown table. */
  readonly of: (table: string) => ReadonlySet<string> | undefined
  /** Names that the query itself declares: a bare name may refer to them instead of a column. */
  readonly declaredNames: ReadonlySet<string>
}

/** A plain sub-query in FROM that only filters, joins and names columns. */
export interface InlineView {
  readonly source: ScopeSource
  readonly select: Select
  readonly scope: Scope
  /** Its output expressions, by name. */
  readonly outputs: ReadonlyMap<string, readonly Term[]>
}

/** An expression and the name that a sub-query of the snippet gives it. */
export interface NamedExpression {
  readonly name: Term
  readonly terms: readonly Term[]
  /** The expression as written in the sub-query. */
  readonly text: string
}

export interface ScopedCte {
  readonly query: Query
  readonly scope: Scope
}

export const emptyScope: Scope = { sources: [], ctes: new Map(), parent: undefined }

/**
 * Returns a scope with the CTEs of a query added; each sees only preceding ones, so that it can shadow a
 * table.
 */
export function withCtes(outer: Scope, query: Query): Scope {
  let scope = outer
  for (const cte of query.ctes) {
    const ctes = new Map(scope.ctes)
    ctes.set(cte.name, { query: cte.query, scope })
    scope = { ...scope, ctes }
  }
  return scope
}

/** Returns the scope inside a SELECT; `side` keeps ids of the two queries distinct. */
export function scopeOf(
  side: 's' | 'e',
  tokens: readonly SqlToken[],
  sources: readonly Source[],
  outer: Scope,
): Scope {
  return {
    sources: sources.map((source) => scopeSource(side, tokens, source, outer)),
    ctes: outer.ctes,
    parent: outer,
    known: outer.known,
  }
}

function scopeSource(
  side: 's' | 'e',
  tokens: readonly SqlToken[],
  source: Source,
  outer: Scope,
): ScopeSource {
  const parts = tokens.slice(source.relation.from, source.relation.to).filter((token) => token.text !== '.')
  const isTable = parts.every((token) => token.kind === 'word' || token.kind === 'quoted')
  const name = isTable ? parts.map(foldedName).join('.') : undefined
  const cte = name === undefined ? undefined : outer.ctes.get(name)
  const alias = source.alias && tokens[source.alias.from]
  const last = parts.at(-1)
  return {
    id: `${side}${source.relation.from}`,
    source,
    names: alias ? [foldedName(alias)] : name === undefined ? [] : [name, foldedName(last)],
    written: alias?.text ?? (name === undefined ? '' : (last?.text ?? '')),
    table: cte === undefined ? name : undefined,
    query: cte?.query ?? source.query,
    queryScope: cte?.scope ?? outer,
    renames: new Map(),
  }
}

/** Returns the source that a qualifier refers to, innermost scope first. */
export function resolveQualifier(scope: Scope, qualifier: string): ScopeSource | undefined {
  const sources = [...(scope.views ?? []).map((view) => view.source), ...scope.sources]
  const found = sources.find((source) => source.names.includes(qualifier))
  return found ?? (scope.parent && resolveQualifier(scope.parent, qualifier))
}

/**
 * Returns the source that a bare column belongs to: the only one that is known to have it. Undefined if there
 * is no schema, or if the query may refer to a name that it declares.
 */
export function resolveColumn(scope: Scope, column: string): ScopeSource | undefined {
  const { known, sources, views = [], parent } = scope
  if (known === undefined || known.declaredNames.has(column) || views.length > 0) return undefined
  const columns = sources.map(({ table }) => (table === undefined ? undefined : known.of(table)))
  const having = sources.filter((_, index) => columns[index]?.has(column))
  if (having.length > 0) return having.length === 1 ? having[0] : undefined
  const isOuter = columns.every((each) => each !== undefined)
  return isOuter && parent !== undefined ? resolveColumn(parent, column) : undefined
}

/**
 * Returns the scope in which a range of the query is resolved: that of the inlined sub-query that contains
 * it, or `scope` itself.
 */
export function scopeAt(scope: Scope, range: TokenRange): Scope {
  const view = scope.views?.find(({ select }) => containsRange(select.range, range))
  return view === undefined ? scope : scopeAt({ ...view.scope, named: scope.named }, range)
}
