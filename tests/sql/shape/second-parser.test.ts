import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loadBenchmark } from '../../../src/benchmark/load.js'
import type { Dialect } from '../../../src/enums/dialect.js'
import { loadSqlParser } from '../../../src/sql/parser.js'
import { needsShared } from '../../needs.js'
import { excuse } from './second-parser/peer-limits.js'
import { peerOutline } from './second-parser/peer-outline.js'
import type { Outline } from './second-parser/query-outline.js'
import { shapeOutline } from './second-parser/shape-outline.js'

const parser = await loadSqlParser()
const corpora = resolve('../shared/corpora')
const dialects = ['sqlite', 'postgres', 'duckdb', 'mysql', 'trino', 'bigquery', 'snowflake'] as const
/** Words that one of the two takes for a column where they are units. */
const units = /^(year|quarter|month|week|day|hour|minute|second|dow|doy|monday|tuesday)$/u

/** What the two parsers see otherwise, and for no known reason; undefined where one of them reads no query. */
function disagreements(sql: string, dialect: Dialect): readonly string[] | undefined {
  const own = parser.parse(sql, dialect)
  const peer = peerOutline(sql, dialect)
  if (own.kind !== 'query' || peer === undefined) return undefined
  const ours = shapeOutline(own.shape)
  const shown = (outline: Outline, part: keyof Outline): string =>
    JSON.stringify(
      part === 'columns'
        ? outline.columns.filter((name) => !peer.aliases.has(name) && !units.test(name))
        : outline[part],
    )
  return (Object.keys(ours) as (keyof Outline)[])
    .filter((part) => shown(ours, part) !== shown(peer.outline, part))
    .filter((part) => !(part === 'outputs' && peer.outline.outputs === 'star'))
    .filter((part) => excuse(part, sql, dialect) === undefined)
    .map((part) => `${part}: ${shown(ours, part)}, the other parser ${shown(peer.outline, part)}`)
}

describe('a second parser reads the same', () => {
  it('in what the sample asks', async () => {
    const { cases } = await loadBenchmark({ cwd: resolve('.'), paths: ['benchmarks'] })
    let read = 0
    for (const { id, expectedSql } of cases) {
      const found = disagreements(expectedSql, 'duckdb')
      if (found === undefined) continue
      read++
      expect(found, id).toEqual([])
    }
    expect(read).toBeGreaterThan(40)
  })

  it.each([
    ['sqlite', 'SELECT a FROM t UNION SELECT b FROM u ORDER BY 1 DESC LIMIT 3'],
    [
      'postgres',
      'SELECT DISTINCT x FROM s.t LEFT JOIN u USING (k) WHERE d >= 5 GROUP BY x HAVING count(*) > 2',
    ],
    ['mysql', 'SELECT max(`a b`) FROM t RIGHT JOIN u ON t.i = u.i LIMIT 4, 2'],
    ['trino', "WITH c AS (SELECT sum(v) AS v FROM t WHERE w = 'x') SELECT v FROM c ORDER BY v"],
  ] as const)('in %s: %s', (dialect, sql) => {
    expect(disagreements(sql, dialect)).toEqual([])
  })

  it('and would notice what one of them loses', () => {
    const own = parser.parse("SELECT a FROM t WHERE b = 'x' ORDER BY a LIMIT 1", 'postgres')
    if (own.kind !== 'query') throw new Error('not read')
    const other = peerOutline("SELECT a FROM t WHERE b = 'y' ORDER BY a DESC LIMIT 2", 'postgres')
    const ours = shapeOutline(own.shape)
    expect(ours.literals).not.toEqual(other?.outline.literals)
    expect(ours.orderBy).not.toEqual(other?.outline.orderBy)
    expect(ours.limit).not.toBe(other?.outline.limit)
  })

  it.each(dialects)('in real queries of %s', needsShared('corpora'), (dialect) => {
    const lines = readFileSync(`${corpora}/queries_${dialect}.jsonl`, 'utf8').trim().split('\n')
    const rows = lines.map((line) => JSON.parse(line) as { id: string; sql: string })
    const found = rows.map(({ id, sql }) => ({ id, found: disagreements(sql, dialect) }))
    const both = found.filter((row) => row.found !== undefined)
    const apart = both.filter((row) => row.found?.length !== 0)
    expect(both.length).toBeGreaterThan(rows.length / 3)
    expect(apart, `${apart.length} of ${both.length}`).toEqual([])
  })
})
