import { describe, expect, it } from 'vitest'
import { runWithDependentColumns } from '../../../../src/compare/copies/sampled/dependent-columns.js'
import type { QueryOutcome } from '../../../../src/engine/contract/engine.js'
import { loadSqlParser } from '../../../../src/sql/index.js'

const parser = await loadSqlParser()
const rows: QueryOutcome = { kind: 'rows', ms: 1, result: { columns: [], rows: [], cut: null } }

/** Runs a query on a server that misses these columns, one after the other; returns what was run last. */
async function ran(
  sql: string,
  missing: readonly string[],
  message: (column: string) => string,
): Promise<string> {
  const left = [...missing]
  let last = ''
  await runWithDependentColumns(
    sql,
    'postgres',
    (text) => {
      const outcome = parser.tokenize(text, 'postgres')
      return outcome.kind === 'tokens' ? outcome.tokens : []
    },
    async (text) => {
      last = text
      const column = left.shift()
      return column === undefined ? rows : { kind: 'failed', message: message(column) }
    },
  )
  return last
}

const postgres = (column: string): string =>
  `column "${column}" must appear in the GROUP BY clause or be used in an aggregate function`

describe('columns that a grouped key determines', () => {
  it('are added to the only GROUP BY, one after the other', async () => {
    const last = await ran('SELECT s.a, s.b FROM s GROUP BY s.id', ['s.a', 's.b'], postgres)
    expect(last).toBe('SELECT s.a, s.b FROM s GROUP BY "s"."b", "s"."a", s.id')
  })

  it('in the words of MySQL, too', async () => {
    const last = await ran(
      'SELECT a FROM s GROUP BY id',
      ['shop.s.a'],
      (column) =>
        `Expression #1 of SELECT list is not in GROUP BY clause and contains nonaggregated column '${column}' which is not functionally dependent on columns in GROUP BY clause`,
    )
    expect(last).toBe('SELECT a FROM s GROUP BY "s"."a", id')
  })

  it('nothing is guessed where there are two, or where the error is another', async () => {
    const two = 'SELECT a FROM (SELECT a FROM s GROUP BY id) q GROUP BY a'
    expect(await ran(two, ['s.a'], postgres)).toBe(two)
    expect(await ran('SELECT a FROM s', ['s.a'], postgres)).toBe('SELECT a FROM s')
    expect(
      await ran('SELECT a FROM s GROUP BY a', ['b'], (column) => `column "${column}" does not exist`),
    ).toBe('SELECT a FROM s GROUP BY a')
  })
})
