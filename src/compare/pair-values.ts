import type { Engine } from '../engine/engine.js'
import { type ComparedValue, comparedValues } from '../sql/compared-values.js'
import type { SqlParser } from '../sql/parser.js'
import { engineSchema } from './engine-schema.js'

/** Values kept of one column. */
const mostOfColumn = 12

/**
 * The values that two queries in the engine's dialect compare columns of its tables with; those that only one of them names
 * come first. Throws `engine_unavailable` where the engine is at fault.
 */
export async function pairValues(
  engine: Engine,
  pair: { readonly expectedSql: string; readonly generatedSql: string },
  parser: SqlParser,
): Promise<readonly ComparedValue[]> {
  const { dialect } = engine
  const schema = await engineSchema(engine)
  const counts = new Map<string, { readonly value: ComparedValue; sides: number }>()
  for (const sql of [pair.expectedSql, pair.generatedSql]) {
    const parsed = parser.parse(sql, dialect, schema)
    if (parsed.kind !== 'query') continue
    for (const value of comparedValues(parsed.shape, dialect, schema)) {
      const key = JSON.stringify(value)
      const known = counts.get(key)
      if (known === undefined) counts.set(key, { value, sides: 1 })
      else known.sides++
    }
  }
  const taken = new Map<string, number>()
  return [...counts.values()]
    .sort((a, b) => a.sides - b.sides)
    .map(({ value }) => value)
    .filter(({ table, column }) => {
      const place = `${table} ${column}`
      const count = (taken.get(place) ?? 0) + 1
      taken.set(place, count)
      return count <= mostOfColumn
    })
}
