import { expect } from 'vitest'
import { compareQueries } from '../../src/sql/compare.js'
import { type Engine, type QuerySetting, rowsOf } from './databases.js'

/** Engines, two queries that are equal, and one like them whose rows differ somewhere. */
export type TwoWays = readonly [readonly Engine[], string, string, string]

/** Each pair on each of its engines. */
export function onEngines(pairs: readonly TwoWays[]): readonly (readonly [Engine, string, string, string])[] {
  return pairs.flatMap(([engines, ...queries]) => engines.map((engine) => [engine, ...queries] as const))
}

/** Expects of the rows and of the comparison alike that `same` asks what `one` does, and `other` does not. */
export async function expectTwoWays(
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
