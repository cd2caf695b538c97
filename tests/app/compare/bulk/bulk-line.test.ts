import { describe, expect, it } from 'vitest'
import { parseBulkLine } from '../../../../src/app/compare/bulk/bulk-line.js'

function errorOf(line: unknown): string | undefined {
  const read = parseBulkLine(typeof line === 'string' ? line : JSON.stringify(line))
  return read.kind === 'wrong' ? read.error : undefined
}

function lineOf(line: unknown) {
  const read = parseBulkLine(typeof line === 'string' ? line : JSON.stringify(line))
  if (read.kind === 'wrong') throw new Error(read.error)
  return read.line
}

const pair = { expected: 'select 1', generated: 'select 2' }
const results = (cell: unknown) => ({
  expected_result: { columns: ['a'], rows: [[cell]] },
  generated_result: { columns: ['a'], rows: [[cell]] },
})
const cellOf = (cell: unknown) => lineOf(results(cell)).results?.expected.rows[0]?.[0]

describe('a line', () => {
  it('has two queries in one dialect or two', () => {
    expect(lineOf({ ...pair, id: 7, dialect: 'MySQL' })).toMatchObject({
      id: 7,
      expectedDialect: 'mysql',
      generatedDialect: 'mysql',
    })
    expect(lineOf({ ...pair, expected_dialect: 'sqlite', generated_dialect: 'trino' })).toMatchObject({
      expectedDialect: 'sqlite',
      generatedDialect: 'trino',
    })
  })

  it('may have other keys, and nulls for what it does not say', () => {
    expect(lineOf({ ...pair, question: 'how many?', schema: null, dialect: null }).schema).toBeUndefined()
  })

  it.each<[string, unknown, string]>([
    ['no JSON', 'select 1', 'not JSON'],
    ['JSON that is cut off', '{"id": 1', 'not JSON'],
    ['deep nesting', '['.repeat(100_000), 'not JSON'],
    ['a bare NaN', '{"expected_result":{"columns":["a"],"rows":[[NaN]]}}', 'write {"$decimal": "NaN"}'],
    ['no object', [1], 'not a JSON object'],
    ['null', 'null', 'not a JSON object'],
    ['one query only', { expected: 'select 1' }, '"generated" is missing'],
    ['one result only', { expected_result: { columns: [], rows: [] } }, '"generated_result" is missing'],
    ['a key with a slip', { expected: 'select 1', generatd: 'x' }, 'did you mean "generated"?'],
    ['an optional key with a slip', { ...pair, dialct: 'mysql' }, 'did you mean "dialect"?'],
    ['keys of another tool', { sql_a: 'select 1', sql_b: 'select 1' }, '"expected" is missing'],
    ['a number for SQL', { expected: 1, generated: 'x' }, '"expected"'],
    ['an object for an id', { ...pair, id: {} }, '"id"'],
    ['an unknown dialect', { ...pair, dialect: 'postgress' }, 'did you mean "postgres"?'],
    [
      'a row too short',
      { ...results(1), generated_result: { columns: ['a', 'b'], rows: [[1]] } },
      'has 1 cells',
    ],
    [
      'rows that are objects',
      { ...results(1), generated_result: { columns: ['a'], rows: [{ a: 1 }] } },
      'rows.0',
    ],
    ['a list for a cell', results([1]), 'expected_result.rows[0][0]: a cell is'],
    ['a date that is none', results({ $date: 'yesterday' }), '"yesterday" is not a $date'],
    ['a decimal that is none', results({ $decimal: '1,5' }), '"1,5" is not a $decimal'],
    [
      'a number that JSON makes infinite',
      JSON.stringify(results(1)).replace('[[1]]', '[[1e400]]'),
      'write it as',
    ],
    [
      'a query that failed',
      { ...results(1), generated_result: { columns: [], rows: [], error: 'no such table: t' } },
      'generated_result.error: no such table: t',
    ],
    ['a big integer that is none', results({ $bigint: '1.5' }), '"1.5" is not a $bigint'],
  ])('of %s is told what is wrong', (_name, line, words) => {
    expect(errorOf(line)).toContain(words)
  })

  it('that is wrong keeps its id', () => {
    expect(parseBulkLine('{"id":"q7","expected":"select 1"}')).toMatchObject({ kind: 'wrong', id: 'q7' })
  })
})

describe('cells', () => {
  it.each<[unknown, unknown]>([
    [null, null],
    [true, true],
    [1.5, 1.5],
    ['x', 'x'],
    [{ $bigint: '9007199254740993' }, 9007199254740993n],
    [{ $bigint: 5 }, 5n],
    [{ $decimal: '1.50' }, { kind: 'decimal', text: '1.50' }],
    [{ $decimal: 'NaN' }, { kind: 'decimal', text: 'NaN' }],
    [{ $decimal: '-Infinity' }, { kind: 'decimal', text: '-Infinity' }],
    [{ $date: '2024-01-31' }, { kind: 'date', text: '2024-01-31' }],
    [{ $date: '2024-01-31T10:00:00Z' }, { kind: 'timestamp', text: '2024-01-31T10:00:00Z' }],
  ])('%j is read', (cell, value) => {
    expect(cellOf(cell)).toEqual(value)
  })

  it('keep every digit of an integer, also of one that JavaScript would round', () => {
    const side =
      '{"columns":["a","b","c"],"rows":[[9007199254740993,"9007199254740993 \\" 9007199254740993",-5]]}'
    const line = lineOf(`{"id":9007199254740993,"expected_result":${side},"generated_result":${side}}`)
    expect(line.id).toBe('9007199254740993')
    expect(line.results?.expected.rows).toEqual([
      [9007199254740993n, '9007199254740993 " 9007199254740993', -5],
    ])
  })

  it.each<[string, unknown]>([
    ['{"$bigint": 9007199254740993}', 9007199254740993n],
    ['{"$bigint":-9007199254740993}', -9007199254740993n],
    ['{"$decimal": 9007199254740993}', { kind: 'decimal', text: '9007199254740993' }],
    ['{"$decimal": 9007199254740993.00}', { kind: 'decimal', text: '9007199254740993.00' }],
    ['9007199254740993.00', { kind: 'decimal', text: '9007199254740993.00' }],
  ])('keep every digit of a number that is not in quotes: %s', (cell, value) => {
    const side = `{"columns":["a"],"rows":[[${cell}]]}`
    expect(lineOf(`{"expected_result":${side},"generated_result":${side}}`).results?.expected.rows).toEqual([
      [value],
    ])
  })

  it.each([{ $bigint: { $date: '2025-01-01' } }, { $bigint: {} }, { $bigint: [1] }])(
    'in which another kind of cell stands are none: %j',
    (cell) => {
      expect(errorOf(results(cell))).toContain('is not a $bigint')
    },
  )
})
