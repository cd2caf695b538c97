import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { isDialect } from '../../src/enums/dialect.js'
import { compareQueries } from '../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'
import type { StructuralComparison } from '../../src/sql/structural-comparison.js'
import { needsShared } from '../needs.js'

const folder = new URL('../../../shared/corpora/', import.meta.url)
const needsPairs = needsShared('corpora/pairs_diff.jsonl', 'corpora/pairs_equiv.jsonl')

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

interface Pair {
  readonly id: string
  readonly dialect: string
  readonly sql_a: string
  readonly sql_b: string
  readonly hardness?: string
  readonly suspect?: string
}

function isPair(value: unknown): value is Pair {
  return (
    typeof value === 'object' && value !== null && 'sql_a' in value && 'sql_b' in value && 'dialect' in value
  )
}

/** The pairs written in one dialect whose label nobody doubts. */
function pairs(file: string): Pair[] {
  const rows = readFileSync(new URL(file, folder), 'utf8').trim().split('\n')
  const parsed = rows.map((row): unknown => JSON.parse(row)).filter(isPair)
  return parsed.filter(({ dialect, suspect }) => suspect === undefined && isDialect(dialect))
}

function compareAll(rows: readonly Pair[]): Map<StructuralComparison['kind'], string[]> {
  const found = new Map<StructuralComparison['kind'], string[]>()
  const started = performance.now()
  for (const { id, dialect, sql_a, sql_b } of rows) {
    if (!isDialect(dialect)) continue
    const finding = compareQueries(parser, sql_a, sql_b, dialect)
    if (finding.kind === 'different') expect(finding.differences, id).not.toEqual([])
    found.set(finding.kind, [...(found.get(finding.kind) ?? []), id])
  }
  const rate = Math.round((rows.length / (performance.now() - started)) * 1000)
  const counts = [...found].map(([kind, ids]) => `${kind} ${ids.length}`).join(', ')
  console.info(`${rows.length} pairs: ${counts}; ${rate} pairs a second`)
  return found
}

describe('labelled pairs', () => {
  it('that differ are never equal', needsPairs, () => {
    const rows = pairs('pairs_diff.jsonl')
    const found = compareAll(rows)
    expect(found.get('equal') ?? []).toEqual([])
  })

  it(
    'that are surface variants are equal, if need be under an assumption, in three of four',
    needsPairs,
    () => {
      const rows = pairs('pairs_equiv.jsonl').filter(({ hardness }) => hardness === 'surface')
      const found = compareAll(rows)
      const equal = (found.get('equal') ?? []).length
      expect(equal).toBeGreaterThanOrEqual(rows.length * 0.55)
      expect(equal + (found.get('equal_if') ?? []).length).toBeGreaterThanOrEqual(rows.length * 0.75)
    },
  )
})
