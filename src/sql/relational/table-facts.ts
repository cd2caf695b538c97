import type { Dialect } from '../../enums/dialect.js'
import type { Expression, FromNode, QueryShape, SourceId } from '../shape/query-shape.js'
import { eachFrom, rewriteQuery } from '../shape/rewrite-query.js'
import { plainName, type Schema, type TableSchema, tableOf } from '../tables/table-schema.js'
import type { Assumptions } from './assumptions.js'
import { readsColumnOutsideAggregates } from './duplicate-insensitivity.js'
import { mayAggregate } from './known-functions.js'

/** Facts about the tables of one query that rules may use; collected anew before each round of rules. */
export interface Facts {
  readonly dialect: Dialect
  /** Schemas of the tables in FROM; without an entry nothing is known. */
  readonly tables: ReadonlyMap<SourceId, TableSchema>
  /** Names of the tables in FROM, for assumptions in words. */
  readonly names: ReadonlyMap<SourceId, string>
  readonly derived: ReadonlyMap<SourceId, QueryShape>
  /** Tables whose columns are NULL where an outer join finds no partner. */
  readonly nullable: ReadonlySet<SourceId>
  readonly assumptions: Assumptions
  /** Columns, as `table.name`, that one of the queries shows to hold dates or times. */
  readonly times: ReadonlySet<string>
  /**
   * Whether a column may be NULL for want of a row, though it is declared NOT NULL: SQLite and MySQL show one beside an
   * aggregate over no rows.
   */
  mayReadWithoutRow(): boolean
  /** A number that no table of the query has. */
  nextSourceId(): SourceId
  /** Takes note of what a rule has put in FROM. */
  addSources(from: FromNode | undefined): void
}

export function collectFacts(
  query: QueryShape,
  dialect: Dialect,
  schema: Schema | undefined,
  assumptions: Assumptions,
  times: ReadonlySet<string>,
): Facts {
  const tables = new Map<SourceId, TableSchema>()
  const names = new Map<SourceId, string>()
  const derived = new Map<SourceId, QueryShape>()
  const nullable = new Set<SourceId>()
  let last = 0
  const visit = (node: FromNode, isNullable: boolean): void => {
    if (node.kind === 'join') {
      const outer = node.join !== 'inner'
      visit(node.left, isNullable || (outer && node.join !== 'left'))
      visit(node.right, isNullable || (outer && node.join !== 'right'))
      return
    }
    last = Math.max(last, node.id)
    if (isNullable) nullable.add(node.id)
    if (node.kind === 'derived') derived.set(node.id, node.query)
    if (node.kind !== 'table') return
    names.set(node.id, node.name)
    const known = schema === undefined ? undefined : tableOf(schema, node.name)
    if (known !== undefined && node.extras.length === 0) tables.set(node.id, known)
  }
  eachFrom(query, (from) => visit(from, false))
  let readsNoRow: boolean | undefined
  return {
    dialect,
    tables,
    names,
    derived,
    nullable,
    assumptions,
    times,
    mayReadWithoutRow: () =>
      (readsNoRow ??= allowsPlainColumns.has(dialect) && hasPlainBesideAggregate(query)),
    nextSourceId: () => ++last,
    addSources: (from) => {
      if (from !== undefined) visit(from, false)
    },
  }
}

const allowsPlainColumns: ReadonlySet<Dialect> = new Set(['sqlite', 'mysql'])

function hasPlainBesideAggregate(query: QueryShape): boolean {
  let isFound = false
  rewriteQuery(query, {
    expression: (expression) => expression,
    query: (nested) => {
      if (nested.kind === 'select' && nested.groupBy.length === 0 && nested.outputs.some(mayAggregate))
        isFound ||= nested.outputs.some(readsColumnOutsideAggregates)
      return nested
    },
  })
  return isFound
}

/** The type that the schema declares for a column of a table; undefined where that is not known. */
export function declaredType(value: Expression, { tables }: Pick<Facts, 'tables'>): string | undefined {
  if (value.kind !== 'column' || value.source === undefined) return undefined
  return tables.get(value.source)?.columns.get(plainName(value.name))?.type
}
