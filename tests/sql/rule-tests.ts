import { describe, expect, it } from 'vitest'
import { compareQueries } from '../../src/sql/compare.js'
import { type Engine, type QuerySetting, querySetting, rowsOf } from './in-memory-databases.js'

/** Tables, and statements that fill them, a database each. */
export interface RuleTables {
  readonly ddl: string
  readonly data: readonly string[]
}

/** Engines, two queries that are equal, and one like them whose rows differ somewhere. */
export type EqualPair = readonly [engines: readonly Engine[], one: string, same: string, other: string]

/** What the rule does, two queries that are equal by it, and one like them whose rows differ somewhere. */
export type NamedPair = readonly [what: string, one: string, same: string, other: string]

/** The same with the engines that read the queries. */
export type NamedEnginePair = readonly [
  what: string,
  engines: readonly Engine[],
  one: string,
  same: string,
  other: string,
]

export const both: readonly Engine[] = ['sqlite', 'duckdb']

const settings = new Map<RuleTables, Promise<QuerySetting>>()

/** The tables in each engine, filled once for all files that test rules on them. */
export function settingOf(tables: RuleTables): Promise<QuerySetting> {
  const setting = settings.get(tables) ?? querySetting(tables.ddl, tables.data)
  settings.set(tables, setting)
  return setting
}

/** Each pair on each of its engines: `same` is equal to `one` and has its rows, and `other` neither. */
export function itKeepsRows(tables: RuleTables, pairs: readonly EqualPair[]): void {
  const onEngines = pairs.flatMap(([engines, ...queries]) =>
    engines.map((engine) => [engine, ...queries] as const),
  )
  it.each(onEngines)('on %s: %s is %s, not %s', async (engine, one, same, other) =>
    expectSameRows(await settingOf(tables), engine, one, same, other),
  )
}

async function expectSameRows(
  setting: QuerySetting,
  engine: Engine,
  one: string,
  same: string,
  other: string,
): Promise<void> {
  const databases = setting.runs.get(engine) ?? []
  const wanted = await rowsOf(databases, one)
  expect(wanted).toBeDefined()
  expect(await rowsOf(databases, same)).toBe(wanted)
  expect(await rowsOf(databases, other)).not.toBe(wanted)
  const kind = (sql: string) =>
    compareQueries(setting.parser, one, sql, engine, { schema: setting.schema }).kind
  expect(kind(same)).toBe('equal')
  expect(kind(other)).not.toBe('equal')
}

/** The same for named pairs, which are equal either way round; `other` is not equal without the schema either. */
export function describeRules(tables: RuleTables, pairs: readonly NamedEnginePair[]): void {
  describe.each(pairs)('%s', (_, engines, one, same, other) => {
    it.each(engines)('is equal in %s', async (engine) => {
      const { parser, schema } = await settingOf(tables)
      expect(compareQueries(parser, one, same, engine, { schema }).kind).toBe('equal')
      expect(compareQueries(parser, same, one, engine, { schema }).kind).toBe('equal')
      expect(compareQueries(parser, one, other, engine, { schema }).kind).not.toBe('equal')
      expect(compareQueries(parser, one, other, engine).kind).not.toBe('equal')
    })

    it.each(engines)('has the same rows in %s', async (engine) => {
      const databases = (await settingOf(tables)).runs.get(engine) ?? []
      const wanted = await rowsOf(databases, one)
      expect(wanted).toBeDefined()
      expect(await rowsOf(databases, same)).toBe(wanted)
      expect(await rowsOf(databases, other)).not.toBe(wanted)
    })
  })
}

/** Pairs that are equal in DuckDB's dialect, and have the same rows in these engines. */
export function itKeepsRowsOfDuckdb(
  tables: RuleTables,
  pairs: readonly NamedPair[],
  engines: readonly Engine[] = both,
): void {
  it.each(pairs)('%s', async (_, one, same, other) => {
    const { parser, schema, runs } = await settingOf(tables)
    const kind = (sql: string) => compareQueries(parser, one, sql, 'duckdb', { schema }).kind
    expect(kind(same)).toBe('equal')
    expect(kind(other)).not.toBe('equal')
    const databases = engines.flatMap((engine) => runs.get(engine) ?? [])
    const wanted = await rowsOf(databases, one)
    expect(wanted).toBeDefined()
    expect(await rowsOf(databases, same)).toBe(wanted)
    expect(await rowsOf(databases, other)).not.toBe(wanted)
  })
}

/** Pairs that are equal either way round in SQLite, without assumptions, and have the same rows there. */
export function itKeepsRowsOfSqlite(tables: RuleTables, pairs: readonly NamedPair[]): void {
  it.each(pairs)('%s', async (_, one, same, other) => {
    const { parser, schema, runs } = await settingOf(tables)
    const finding = (a: string, b: string) => compareQueries(parser, a, b, 'sqlite', { schema })
    expect(finding(one, same)).toEqual({ kind: 'equal' })
    expect(finding(same, one)).toEqual({ kind: 'equal' })
    expect(finding(one, other).kind).toBe('different')
    const databases = runs.get('sqlite') ?? []
    const wanted = await rowsOf(databases, one)
    expect(wanted).toBeDefined()
    expect(await rowsOf(databases, same)).toBe(wanted)
    expect(await rowsOf(databases, other)).not.toBe(wanted)
  })
}
