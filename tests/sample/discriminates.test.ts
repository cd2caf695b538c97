import { readFileSync } from 'node:fs'
import type { DuckDBConnection } from '@duckdb/node-api'
import { beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { mutantsOf, type Tables } from './mutants.js'
import { sampleCases } from './sample-files.js'
import { buildWarehouse, outcomeOf, rowsOf, sameRows, tablesOf } from './warehouse.js'

const equivalents = z
  .array(
    z.strictObject({ case: z.string(), mutants: z.array(z.string()).min(1), reason: z.string().min(20) }),
  )
  .parse(parse(readFileSync('tests/sample/equivalent-mutants.yaml', 'utf8')))

let warehouse: DuckDBConnection
let tables: Tables

beforeAll(async () => {
  warehouse = await buildWarehouse()
  tables = await tablesOf(warehouse)
})

const cases = sampleCases.map((one) => [one.id, one] as const)

describe('the data discriminates', () => {
  it.each(cases)('in %s no condition, aggregate or column can go wrong unnoticed', async (id, { sql }) => {
    const expected = await rowsOf(warehouse, sql)
    const mutants = mutantsOf(sql, tables)
    expect(mutants.length).toBeGreaterThan(3)
    expect(new Set(mutants.map(({ label }) => label)).size).toBe(mutants.length)
    const unnoticed: string[] = []
    for (const mutant of mutants) {
      const actual = await outcomeOf(warehouse, mutant.sql)
      const ordered = /^ORDER BY/m.test(sql) || / ORDER BY [^)]*$/.test(sql)
      if (actual !== 'fails' && sameRows(expected, actual, ordered)) unnoticed.push(mutant.label)
    }
    const listed = equivalents.filter((entry) => entry.case === id).flatMap((entry) => entry.mutants)
    expect(unnoticed.toSorted()).toEqual(listed.toSorted())
  })

  it('lists equivalent mutants of cases that exist', () => {
    const ids = new Set(sampleCases.map(({ id }) => id))
    expect(equivalents.filter((entry) => !ids.has(entry.case))).toEqual([])
  })
})

describe('expected queries', () => {
  it.each(cases)('%s finds rows without a cell of NULL only, and the same again', async (_id, { sql }) => {
    const rows = await rowsOf(warehouse, sql)
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.flat().filter((cell) => cell === null)).toEqual([])
    expect(await rowsOf(warehouse, sql)).toEqual(rows)
  })

  it('answer every question of the benchmark differently', async () => {
    const answers = await Promise.all(
      sampleCases.map(async ({ sql }) => JSON.stringify(await rowsOf(warehouse, sql))),
    )
    expect(new Set(answers).size).toBe(answers.length)
  })
})
