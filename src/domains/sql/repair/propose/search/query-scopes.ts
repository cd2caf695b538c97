import { plainName, type Schema, type SqlToken, tableOf } from '../../../../../sql/index.js'
import { nestedQueries, parseClauses, type Query, type Select, type Source } from '../../model/sql-clauses.js'
import { foldedName, type TokenRange } from '../../model/token-ranges.js'

/** One relation that the columns of a SELECT may come from. */
export interface ScopeSource {
  /** The name that qualifies its columns, in lower case. */
  readonly name: string
  /** The table's plain name; undefined for a derived table. */
  readonly table: string | undefined
  /** Plain names of its columns; undefined where they are not known. */
  readonly columns: ReadonlySet<string> | undefined
  readonly source: Source
}

/** One SELECT of a query, at whatever depth, with what its columns may come from. */
export interface SelectScope {
  readonly select: Select
  readonly query: Query
  readonly sources: readonly ScopeSource[]
  /** Whether it is the outermost one, whose outputs are the answer. */
  readonly isOutermost: boolean
}

/** A query that was read as far as it can be. */
export interface QueryText {
  readonly text: string
  readonly tokens: readonly SqlToken[]
  readonly scopes: readonly SelectScope[]
}

/** Reads every SELECT of a query; undefined where the text is no plain query. */
export function readQueryText(
  text: string,
  tokens: readonly SqlToken[],
  schema: Schema | undefined,
): QueryText | undefined {
  const query = parseClauses(tokens)
  if (query === undefined) return undefined
  const scopes: SelectScope[] = []
  collect(query, new Map(), true)
  return { text, tokens, scopes }

  function collect(of: Query, known: ReadonlyMap<string, ReadonlySet<string>>, isOutermost: boolean): void {
    const ctes = new Map(known)
    for (const { name, query: body } of of.ctes) {
      collect(body, ctes, false)
      ctes.set(name, outputsOf(body, tokens))
    }
    for (const select of of.arms) {
      const sources = select.sources.map((source) => sourceOf(source, ctes))
      scopes.push({ select, query: of, sources, isOutermost })
      for (const inner of subqueriesOf(select, tokens)) collect(inner, ctes, false)
    }
  }

  function sourceOf(source: Source, ctes: ReadonlyMap<string, ReadonlySet<string>>): ScopeSource {
    const written = nameOf(tokens, source.relation)
    const table = source.query === undefined ? written : undefined
    const last = table?.slice(table.lastIndexOf('.') + 1) ?? ''
    const name = source.alias === undefined ? last : foldedName(tokens[source.alias.from])
    const columns =
      source.query === undefined
        ? (ctes.get(written) ?? columnsOf(written, schema))
        : outputsOf(source.query, tokens)
    return { name, table: ctes.has(written) ? undefined : table, columns, source }
  }
}

function columnsOf(table: string, schema: Schema | undefined): ReadonlySet<string> | undefined {
  const found = schema && tableOf(schema, table)
  return found && new Set([...found.columns.keys()].map(plainName))
}

/** Returns the name of a relation as written, without quotes, in lower case. */
function nameOf(tokens: readonly SqlToken[], { from, to }: TokenRange): string {
  return tokens
    .slice(from, to)
    .map((token) => (token.text === '.' ? '.' : foldedName(token)))
    .join('')
}

/** Returns the queries in the FROM and in the expressions of a SELECT. */
function subqueriesOf({ range }: Select, tokens: readonly SqlToken[]): Query[] {
  return nestedQueries(tokens, range)
}

/** Returns the names of a query's output columns, as far as they are written. */
function outputsOf({ arms: [first] }: Query, tokens: readonly SqlToken[]): ReadonlySet<string> {
  const items = first?.clauses.get('select')?.items ?? []
  return new Set(items.map(({ to }) => foldedName(tokens[to - 1])))
}
