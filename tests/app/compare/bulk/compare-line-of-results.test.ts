import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, it } from 'vitest'
import { answersTo, answerTo, dir, withDatabases } from './answers-to-lines.js'

withDatabases()

describe('cells of an engine', () => {
  it('that are written alike and differ say their type', async () => {
    const instance = await DuckDBInstance.create(join(dir, 'lists.duckdb'))
    instance.closeSync()
    const line = {
      expected: 'SELECT [1] AS a',
      generated: "SELECT '[1]' AS a",
      engine: 'duckdb:lists.duckdb',
    }
    expect((await answerTo(line)).results?.differences).toMatchObject([
      { kind: 'changed', expected: [{ $type: 'INTEGER[]', text: '[1]' }], actual: ['[1]'] },
    ])
  })
})

describe('two results', () => {
  const of = (rows: unknown[][], columns = ['a']) => ({ columns, rows })

  it('are compared as multisets, and in order where the expected query orders', async () => {
    const line = { expected_result: of([[1], [2]]), generated_result: of([[2], [1]]) }
    expect(await answerTo(line)).toMatchObject({
      structure: { verdict: 'skipped' },
      results: { verdict: 'match' },
      verdict: 'pass',
    })
    expect(await answerTo({ ...line, expected: 'select a from t order by a' })).toMatchObject({
      results: { verdict: 'mismatch', differences: [{ kind: 'order' }] },
      verdict: 'fail',
    })
  })

  it('are compared in order where the expected query orders in a way that nobody reads, which is said', async () => {
    const line = { expected_result: of([[1], [2]]), generated_result: of([[2], [1]]) }
    const { results } = await answerTo({ ...line, expected: 'SELECT a FROM t WHERE b = {{x}} ORDER BY a' })
    expect(results).toMatchObject({ verdict: 'mismatch', differences: [{ kind: 'order' }] })
    expect(JSON.stringify(results)).toContain('cannot be parsed: rows are compared in order')
  })

  it('give back the cells that differ as they came', async () => {
    const { results } = await answerTo({
      expected_result: of([['x', { $decimal: '1.50' }]], ['a', 'b']),
      generated_result: of([['x', { $bigint: '9007199254740993' }]], ['a', 'b']),
    })
    expect(results).toEqual({
      verdict: 'mismatch',
      differing: 1,
      differences: [
        {
          kind: 'changed',
          expected: ['x', { $decimal: '1.50' }],
          actual: ['x', { $bigint: '9007199254740993' }],
          cells: [1],
        },
      ],
    })
  })

  it('of which one is cut, or a page of several, never match', async () => {
    const whole = { columns: ['a'], rows: [[1]] }
    const answers = await answersTo([
      { expected_result: whole, generated_result: { ...whole, truncated: true } },
      { expected_result: { ...whole, next: '/2' }, generated_result: { ...whole, next: '/2' } },
      { expected_result: whole, generated_result: { ...whole, truncated: false, next: null, error: null } },
    ])
    expect(answers.map(({ verdict, results }) => [verdict, results?.verdict, results?.error])).toEqual([
      ['fail', 'error', 'incomplete: generated_result'],
      ['error', 'error', 'incomplete: expected_result and generated_result'],
      ['pass', 'match', undefined],
    ])
  })

  it('with NaN and infinities match themselves only', async () => {
    const cells = ['NaN', 'Infinity', '-Infinity'].map((text) => ({ $decimal: text }))
    for (const [at, left] of cells.entries()) {
      for (const [other, right] of cells.entries()) {
        const { results } = await answerTo({ expected_result: of([[left]]), generated_result: of([[right]]) })
        expect(results?.verdict).toBe(at === other ? 'match' : 'mismatch')
      }
    }
  })

  it('of equal column names go by position, of no columns by their number of rows', async () => {
    const twice = (row: number[]) => of([row], ['a', 'a'])
    expect(
      (await answerTo({ expected_result: twice([1, 2]), generated_result: twice([1, 2]) })).verdict,
    ).toBe('pass')
    expect(
      (await answerTo({ expected_result: of([[]], []), generated_result: of([[], []], []) })).verdict,
    ).toBe('fail')
  })

  it('of ten thousand columns are compared', async () => {
    const columns = Array.from({ length: 10_000 }, (_, at) => `c${at}`)
    const wide = (last: number) => of([columns.map((_, at) => (at === 9999 ? last : at))], columns)
    expect((await answerTo({ expected_result: wide(1), generated_result: wide(1) })).verdict).toBe('pass')
    expect((await answerTo({ expected_result: wide(1), generated_result: wide(2) })).results?.differing).toBe(
      1,
    )
  })
})
