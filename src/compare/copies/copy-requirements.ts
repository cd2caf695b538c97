import type { Engine } from '../../engine/contract/engine.js'
import {
  type ComparedLiteral,
  type ComparedLiteralRole,
  collectComparedLiterals,
  plainName,
  type Schema,
  type SqlParser,
  sourcesIn,
  tableOf,
} from '../../sql/index.js'
import { engineSchema } from '../engine-schema.js'

/** The tables and values that two queries refer to, which copies of the database should contain. */
export interface PairAnalysis {
  /** Literals that columns are compared with; those in only one of the queries come first. */
  readonly values: readonly ComparedLiteral[]
  /** Tables and views that are read, if the database has so many that the others should be left out. */
  readonly tables: readonly string[] | undefined
  /** Whether the expected query reads no table, as far as this can be determined. */
  readonly isConstant: boolean
}

/** Databases with more tables are copied in part. */
const manyTables = 40
/** Roles of values that are evidence only if a single query asks for them. */
const oneSidedRoles: ReadonlySet<ComparedLiteralRole | undefined> = new Set(['padded', 'cased', 'negative'])
/** Number of values kept for one column. */
const mostOfColumn = 12

/** Reports whether copies of the database have all its tables: few, and none is paid for. */
export function isCopiedWhole({ tables }: Schema, { samples }: Pick<Engine, 'samples'>): boolean {
  return tables.size <= manyTables && samples !== 'charged'
}

/** Analyses two queries in the engine's dialect. Throws `engine_unavailable` if the engine fails. */
export async function analyzePair(
  engine: Engine,
  pair: { readonly expectedSql: string; readonly generatedSql: string },
  parser: SqlParser,
): Promise<PairAnalysis> {
  const { dialect } = engine
  const schema = await engineSchema(engine)
  const counts = new Map<string, { readonly value: ComparedLiteral; sides: number }>()
  const tables = new Set<string>()
  let isWhole = isCopiedWhole(schema, engine)
  let isConstant = false
  for (const sql of [pair.expectedSql, pair.generatedSql]) {
    const parsed = parser.parse(sql, dialect, schema)
    if (parsed.kind !== 'query') {
      isWhole = true
      continue
    }
    const sources = sourcesIn(parsed.shape).tables
    if (sql === pair.expectedSql) isConstant = sources.size === 0
    for (const name of sources.values()) tables.add(plainName(tableOf(schema, name)?.name ?? name))
    const values = collectComparedLiterals(parsed.shape, dialect, schema)
    for (const value of [...values, ...negativeProbes(values)]) {
      const key = JSON.stringify(value)
      const known = counts.get(key)
      if (known === undefined) counts.set(key, { value, sides: 1 })
      else known.sides++
    }
  }
  // If both queries trim spaces, or test a sign, they mean the same values.
  const asked = [...counts.values()].filter(
    ({ value: { role }, sides }) => sides === 1 || !oneSidedRoles.has(role),
  )
  return { values: limitPerColumn(asked), tables: isWhole ? undefined : [...tables].sort(), isConstant }
}

/** Returns a negative number for each column that is compared with 0. */
function negativeProbes(values: readonly ComparedLiteral[]): readonly ComparedLiteral[] {
  const compared = values.filter(
    ({ kind, text, path }) => kind === 'number' && Number(text) === 0 && path === undefined,
  )
  const places = new Map(compared.map((value) => [`${value.table} ${value.column}`, value]))
  return [...places.values()].map(({ table, column }) => ({
    table,
    column,
    kind: 'number',
    text: '-1',
    role: 'negative',
  }))
}

function limitPerColumn(
  counts: Iterable<{ readonly value: ComparedLiteral; readonly sides: number }>,
): readonly ComparedLiteral[] {
  const taken = new Map<string, number>()
  return [...counts]
    .sort((a, b) => a.sides - b.sides)
    .map(({ value }) => value)
    .filter(({ table, column, path = [] }) => {
      const place = JSON.stringify([table, column, path])
      const count = (taken.get(place) ?? 0) + 1
      taken.set(place, count)
      return count <= mostOfColumn
    })
}
