import type { SqlToken } from '../../../../../sql/index.js'
import type { Query, Select, Source } from '../../model/sql-clauses.js'
import { containsRange, foldedName, type TokenRange } from '../../model/token-ranges.js'
import type { Term } from './term.js'

/** One source of a SELECT as names in it are resolved. `id` is shared by a source and its partner in the other query. */
export interface ScopeSource {
  id: string
  source: Source
  /** What may stand in front of a column: alias, or table name and its last part. */
  readonly names: readonly string[]
  /** What its author writes in front of a column. */
  readonly written: string
  /** Table name in lower case; undefined for derived tables, functions and CTEs. */
  readonly table: string | undefined
  readonly query: Query | undefined
  /** Where the names of `query` are resolved. */
  readonly queryScope: Scope
  /** Output columns that the partner calls otherwise, old name → the partner's. */
  renames: ReadonlyMap<string, string>
}

export interface Scope {
  readonly sources: readonly ScopeSource[]
  readonly ctes: ReadonlyMap<string, ScopedCte>
  readonly parent: Scope | undefined
  /** Sub-queries that are read as part of this SELECT: `sources` has theirs instead of them. */
  readonly views?: readonly InlineView[] | undefined
  /** Expressions that are read as one name. */
  readonly named?: readonly NamedExpression[] | undefined
  /** What a schema tells of the tables, where bare columns may be read as those of the only one that has them. */
  readonly known?: KnownColumns | undefined
  /** Whether bare columns are read as those of its only source: around it, others could have columns of that name. */
  readonly ownsBare?: boolean | undefined
}

export interface KnownColumns {
  /** Names of a table's columns in lower case; undefined of a table that is not known. */
  readonly of: (table: string) => ReadonlySet<string> | undefined
  /** Names that the query itself gives: they may be meant instead of a column. */
  readonly declaredNames: ReadonlySet<string>
}

/** A plain sub-query in FROM that only filters, joins and names columns. */
export interface InlineView {
  readonly source: ScopeSource
  readonly select: Select
  readonly scope: Scope
  /** What it gives out, by name. */
  readonly outputs: ReadonlyMap<string, readonly Term[]>
}

/** An expression and the name that a sub-query of the snippet gives it. */
export interface NamedExpression {
  readonly name: Term
  readonly terms: readonly Term[]
  /** The expression as it is written in the sub-query. */
  readonly text: string
}

export interface ScopedCte {
  readonly query: Query
  readonly scope: Scope
}

export const emptyScope: Scope = { sources: [], ctes: new Map(), parent: undefined }

/** A scope with the CTEs of a query added; each sees those in front of it only, so that it can shadow a table. */
export function withCtes(outer: Scope, query: Query): Scope {
  let scope = outer
  for (const cte of query.ctes) {
    const ctes = new Map(scope.ctes)
    ctes.set(cte.name, { query: cte.query, scope })
    scope = { ...scope, ctes }
  }
  return scope
}

/** The scope inside a SELECT; `side` keeps ids of the two queries apart. */
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

/** The source that a qualifier means, innermost scope first. */
export function resolveQualifier(scope: Scope, qualifier: string): ScopeSource | undefined {
  const sources = [...(scope.views ?? []).map((view) => view.source), ...scope.sources]
  const found = sources.find((source) => source.names.includes(qualifier))
  return found ?? (scope.parent && resolveQualifier(scope.parent, qualifier))
}

/**
 * The source that a bare column is of: the only one that is known to have it. Undefined where no schema tells, or where the
 * query may mean a name of its own.
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

/** The scope in which a stretch of the query is read: that of a sub-query which is read as part, or `scope` itself. */
export function scopeAt(scope: Scope, range: TokenRange): Scope {
  const view = scope.views?.find(({ select }) => containsRange(select.range, range))
  return view === undefined ? scope : scopeAt({ ...view.scope, named: scope.named }, range)
}
