import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CompareOptions, compareResults } from '../../../src/compare/results/results.js'
import type { Column, ResultSet, Value } from '../../../src/engine/contract/engine.js'

const defaults: CompareOptions = { order: 'unordered', tolerance: 1e-4, columns: 'auto' }

/** Columns are of no known type, as in JSON, or of the one that follows a colon: `d:DATE`. */
function result(columns: string, ...rows: Value[][]): ResultSet {
  return {
    columns: columns === '' ? [] : columns.split(',').map(columnOf),
    rows,
    cut: null,
  }
}

function columnOf(column: string): Column {
  const [name = '', type = ''] = column.split(':')
  return { name, type }
}

/** One column of one row each. */
function cellsMatch(a: Value, b: Value, tolerance = 1e-4): boolean {
  const options = { ...defaults, tolerance }
  const there = compareResults(result('a', [a]), result('a', [b]), options).match
  expect(compareResults(result('a', [b]), result('a', [a]), options).match).toBe(there)
  return there
}

function matches(a: ResultSet, b: ResultSet, options: Partial<CompareOptions> = {}): boolean {
  return compareResults(a, b, { ...defaults, ...options }).match
}

const decimal = (text: string): Value => ({ kind: 'decimal', text })
const date = (text: string): Value => ({ kind: 'date', text })
const other = (type: string, text: string): Value => ({ kind: 'other', type, text })
const timestamp = (text: string): Value => ({ kind: 'timestamp', text })

describe('cells', () => {
  it.each<[string, Value, Value]>([
    ['an integer and its decimal', 5, decimal('5.00')],
    ['an integer and its bigint', 5, 5n],
    ['negative zero and zero', -0, 0],
    ['a decimal of minus zero and zero', decimal('-0.00'), 0],
    ['an integer with an exponent and its digits', decimal('1E4'), 10_000],
    ['a fraction with an exponent that makes it an integer', decimal('-1.25e+2'), -125],
    ['an integer with an exponent that takes zeros away', decimal('12000E-3'), 12],
    ['big integers with an exponent and without', decimal('9.007199254740993E15'), 9007199254740993n],
    ['zeros with exponents', decimal('0E7'), decimal('0.00e-3')],
    ['a decimal with an exponent and a number near it', decimal('1.5E-3'), 0.0015],
    ['true and 1', true, 1],
    ['false and 0', false, 0n],
    ['true and true', true, true],
    ['numbers within the relative tolerance', 12.34567, 12.34562],
    ['an integer and a number beside it', 5, 5.0001],
    ['numbers below the absolute floor', 0, 9e-10],
    ['two NaN', Number.NaN, Number.NaN],
    ['two numbers that no double holds', decimal('1e400'), decimal('1E400')],
    ['two NULL', null, null],
    ['two infinities', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    ['a date and its text', date('2024-01-01'), '2024-01-01'],
    ['a date and its midnight', date('2024-01-01'), timestamp('2024-01-01 00:00:00')],
    ['a date and its midnight in UTC', date('2024-01-01'), timestamp('2024-01-01 00:00:00+00')],
    ['a date and the text of its midnight', date('2024-01-01'), '2024-01-01 00:00:00'],
    ['a midnight and the text of its day', timestamp('2024-01-01 00:00:00'), '2024-01-01'],
    ['a timestamp and its ISO text', timestamp('2024-01-01 10:00:00.500000'), '2024-01-01T10:00:00.5'],
    ['big decimals', decimal('123456789012345678901'), decimal('123456789012345678901.0')],
    [
      'one instant in two zones',
      timestamp('2025-11-30T07:30:00.5+07:30'),
      timestamp('2025-11-30 00:00:00.500Z'),
    ],
    ['one instant across midnight', timestamp('2025-12-01T01:00+07'), '2025-11-30 18:00:00Z'],
    ['a UUID and its text', other('UUID', 'c4ddd220-0e56'), 'c4ddd220-0e56'],
    ['a time and its text', other('TIME', '10:00:00'), '10:00:00'],
    ['a time with a zone and its text', other('TIME WITH TIME ZONE', '10:00:00+00'), '10:00:00+00'],
    [
      'lists of numbers within tolerance',
      other('DOUBLE[]', '[0.3, NULL]'),
      other('DOUBLE[]', '[0.30000000000000004, NULL]'),
    ],
    ['lists of an integer and a number beside it', other('INTEGER[]', '[5]'), other('DOUBLE[]', '[5.00001]')],
    ['lists of an integer and its decimal', other('INTEGER[]', '[5]'), other('DECIMAL(5,2)[]', '[5.00]')],
    [
      'structs of numbers within tolerance, in another order',
      other('STRUCT(a DOUBLE, b VARCHAR)', "{'a': 1.5, 'b': 'x''y, [1]'}"),
      other('STRUCT(b VARCHAR, a DOUBLE)', "{'b': 'x''y, [1]', 'a': 1.500001}"),
    ],
    [
      'maps of numbers within tolerance, in another order',
      other('MAP(INTEGER, DOUBLE)', '{1: 1.5, 2: 2.5}'),
      other('MAP(INTEGER, DOUBLE)', '{2: 2.50001, 1: 1.5}'),
    ],
    [
      'JSON and a list that says the same',
      other('json', '{"a":[1.5,"x"]}'),
      other('STRUCT(a JSON[])', "{'a': [1.50001, 'x']}"),
    ],
    [
      'values of other kinds that print alike',
      { kind: 'other', type: 'INTEGER[]', text: '[1]' },
      { kind: 'other', type: 'BIGINT[]', text: '[1]' },
    ],
  ])('%s are equal', (_name, a, b) => {
    expect(cellsMatch(a, b)).toBe(true)
  })

  it.each<[string, Value, Value]>([
    ['integers one apart', 1_000_000, 1_000_001],
    ['integers beyond 2^53', 9007199254740993n, 9007199254740992n],
    ['big decimals', decimal('123456789012345678901'), decimal('123456789012345678902')],
    ['integers one apart, one with an exponent', decimal('1E4'), 10_001],
    ['integers one apart, one with a plus and an exponent', decimal('+1e+4'), decimal('10001.0')],
    ['big integers one apart, one with an exponent', decimal('9.007199254740993E15'), 9007199254740992n],
    ['true and a number near 1', true, 0.99999],
    ['false and a number near 0', false, 1e-10],
    ['a small ratio and nine times it', 0.001, 0.009],
    ['numbers past the tolerance', 1, 1.0002],
    ['a number and its text', 1, '1'],
    ['a decimal and its text', decimal('1.50'), '1.50'],
    ['true and its text', true, 'true'],
    ['true and 2', true, 2],
    ['NULL and empty text', null, ''],
    ['NULL and zero', null, 0],
    ['NULL and the text of it', null, 'NULL'],
    ['NULL and NaN', null, Number.NaN],
    ['NaN and a number', Number.NaN, 1.5],
    ['infinity and a number', Number.POSITIVE_INFINITY, 1.5],
    ['infinity and a number that no double holds', Number.POSITIVE_INFINITY, decimal('1e400')],
    ['numbers that no double holds', decimal('1e400'), decimal('2e400')],
    ['integers that no double holds', decimal(`1${'0'.repeat(400)}`), decimal(`2${'0'.repeat(400)}`)],
    ['infinities of other signs', Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    ['texts of other case', 'a', 'A'],
    ['texts with a blank at the end', 'x ', 'x'],
    ['a date and the day after', date('2024-01-01'), '2024-01-02'],
    ['a date and its noon', date('2024-01-01'), timestamp('2024-01-01 12:00:00')],
    ['a date and the number of its year', date('2024-01-01'), 2024],
    ['texts that are dates of no calendar', '2024-13-01', '2024-13-01 00:00:00'],
    ['one clock in two zones', timestamp('2025-11-30 00:00:00+07'), timestamp('2025-11-30 00:00:00Z')],
    ['a time and the text of another', other('TIME', '10:00:00'), '10:00'],
    ['lists of numbers past the tolerance', other('DOUBLE[]', '[0.3, 1.5]'), other('DOUBLE[]', '[0.3, 1.6]')],
    [
      'lists of big integers one apart',
      other('BIGINT[]', '[9007199254740993]'),
      other('BIGINT[]', '[9007199254740992]'),
    ],
    ['lists in another order', other('INTEGER[]', '[1, 2]'), other('INTEGER[]', '[2, 1]')],
    ['lists of other lengths', other('INTEGER[]', '[1]'), other('INTEGER[]', '[1, 1]')],
    ['lists of texts and of numbers', other('VARCHAR[]', "['1']"), other('INTEGER[]', '[1]')],
    ['lists of texts in other letter case', other('VARCHAR[]', "['a']"), other('VARCHAR[]', "['A']")],
    [
      'maps of the same values at other keys',
      other('MAP(INTEGER, DOUBLE)', '{1: 1.5, 2: 2.5}'),
      other('MAP(INTEGER, DOUBLE)', '{1: 2.5, 2: 1.5}'),
    ],
    ['a list and its text', { kind: 'other', type: 'INTEGER[]', text: '[1]' }, '[1]'],
  ])('%s differ', (_name, a, b) => {
    expect(cellsMatch(a, b)).toBe(false)
  })

  it('a tolerance of 0 compares numbers exactly', () => {
    expect([cellsMatch(0.1 + 0.2, 0.3, 0), cellsMatch(0.3, 0.3, 0), cellsMatch(0, 1e-10, 0)]).toEqual([
      false,
      true,
      false,
    ])
  })
})

describe('texts that spell a day', () => {
  const midnight = '2024-01-01 00:00:00'

  it('are exact in columns that are known to hold texts', () => {
    expect(matches(result('a:VARCHAR', ['2024-01-01']), result('a:VARCHAR', [midnight]))).toBe(false)
    expect(matches(result('a:TEXT', [midnight]), result('a:ANY', ['2024-01-01T00:00:00']))).toBe(false)
    expect(matches(result('a:TEXT', [midnight]), result('a:ANY', [midnight]))).toBe(true)
  })

  it('are that day beside a column that holds days', () => {
    expect(matches(result('a:DATE', [date('2024-01-01')]), result('a:VARCHAR', ['2024-01-01']))).toBe(true)
    expect(matches(result('a:DATE', [date('2024-01-01')]), result('a:VARCHAR', [midnight]))).toBe(true)
    expect(matches(result('a:TIMESTAMP', [timestamp(midnight)]), result('a:TEXT', ['2024-01-01']))).toBe(true)
  })

  it('are that day where the type of the column is not known', () => {
    expect(matches(result('a', ['2024-01-01']), result('a', [midnight]))).toBe(true)
  })
})

describe('rows', () => {
  it('count as often as they are there', () => {
    expect(matches(result('a', [1], [1], [2]), result('a', [1], [2], [2]))).toBe(false)
    expect(matches(result('a', [1], [1], [2]), result('a', [2], [1], [1]))).toBe(true)
  })

  it('match as pairs even where every sorting fails: tolerance is not transitive', () => {
    // 1.0001 is near 1.0 only, and 0.9999 too: pairing the equal ones first would leave these two apart.
    expect(matches(result('a', [1.00005], [1.00014]), result('a', [0.99996], [1.00005]))).toBe(true)
  })

  it('match as pairs where both cells of a row need a partner', () => {
    const expected = result('a,b', [1.00001, 5.5], [1.00002, 7.5])
    expect(matches(expected, result('a,b', [1.00003, 7.5], [1.00001, 5.5]))).toBe(true)
    expect(matches(expected, result('a,b', [1.00003, 7.5], [1.00001, 7.5]))).toBe(false)
  })

  it('match as pairs where a day stands among texts: two texts that it matches are not one', () => {
    const expected = result('a:ANY', [date('2024-01-01')], ['2024-01-01 00:00:00'])
    expect(matches(expected, result('a:ANY', ['2024-01-01 00:00:00'], ['2024-01-01']))).toBe(true)
    expect(matches(expected, result('a:ANY', ['2024-01-01'], ['2024-01-01']))).toBe(false)
  })

  it('match as pairs where true stands among numbers: it matches 1 and nothing near it', () => {
    expect(matches(result('a', [true], [1]), result('a', [0.99999], [true]))).toBe(true)
    expect(matches(result('a', [true], [1]), result('a', [0.99999], [1.00001]))).toBe(false)
  })

  it('match as pairs where lists of numbers are near one another', () => {
    const list = (...numbers: number[]) => other('DOUBLE[]', `[${numbers.join(', ')}]`)
    const expected = result('a', [list(1.00005, 3.5)], [list(1.00014, 4.5)])
    expect(matches(expected, result('a', [list(1.00005, 4.5)], [list(0.99996, 3.5)]))).toBe(true)
    expect(matches(expected, result('a', [list(1.00005, 4.5)], [list(0.9, 3.5)]))).toBe(false)
  })

  it('keep integers exact in a column that has other numbers too', () => {
    expect(matches(result('a', [100_000], [0.5]), result('a', [100_001], [0.5]))).toBe(false)
    expect(matches(result('a', [100_000], [0.5]), result('a', [0.5], [100_000.5]))).toBe(true)
  })

  it('an empty result matches an empty one of as many columns', () => {
    expect(matches(result('a'), result('b'))).toBe(true)
    expect(matches(result('a'), result('a,b'))).toBe(false)
  })

  it('a cut result never matches', () => {
    expect(matches({ ...result('a', [1]), cut: 'rows' }, result('a', [1]))).toBe(false)
    expect(matches(result('a', [1]), { ...result('a', [1]), cut: 'bytes' })).toBe(false)
  })

  it('text with separators in it is not mistaken for two cells', () => {
    expect(matches(result('a,b', ['x2:sy', 'z']), result('a,b', ['x', '2:sy z']))).toBe(false)
    expect(matches(result('a,b', ['a\0', 'b'], ['c', 'd']), result('a,b', ['c', 'd'], ['a', '\0b']))).toBe(
      false,
    )
  })
})

describe('order', () => {
  const expected = result('a,b', ['x', 3], ['y', 2], ['z', 2], ['w', 1])

  it('does not count unless asked for', () => {
    expect(matches(expected, result('a,b', ['w', 1], ['z', 2], ['y', 2], ['x', 3]))).toBe(true)
  })

  it('counts where it is asked for', () => {
    expect(
      matches(expected, result('a,b', ['y', 2], ['x', 3], ['z', 2], ['w', 1]), { order: 'ordered' }),
    ).toBe(false)
    expect(matches(expected, expected, { order: 'ordered' })).toBe(true)
  })

  it('lets ties come in any order, and nothing else', () => {
    const ordered = { order: 'ordered', orderColumns: [1] } as const
    expect(matches(expected, result('a,b', ['x', 3], ['z', 2], ['y', 2], ['w', 1]), ordered)).toBe(true)
    expect(matches(expected, result('a,b', ['x', 3], ['y', 2], ['w', 1], ['z', 2]), ordered)).toBe(false)
    expect(
      matches(expected, result('a,b', ['x', 3], ['z', 2], ['y', 2], ['w', 1]), { order: 'ordered' }),
    ).toBe(false)
  })

  it('says so where the rows are right and their order is not', () => {
    const found = compareResults(result('a', [1], [2], [3]), result('a', [1], [3], [2]), {
      ...defaults,
      order: 'ordered',
    })
    expect(found.differences).toEqual([{ kind: 'order', text: 'rows are in another order, from row 2 on' }])
  })
})

describe('columns', () => {
  it('go by name where the names are the same set, whatever their case and order', () => {
    expect(matches(result('a,B', [1, 'x']), result('b,A', ['x', 1]))).toBe(true)
  })

  it('with equal names get no second chance by position', () => {
    expect(matches(result('a,b', [1, 2]), result('b,a', [1, 2]))).toBe(false)
  })

  it('go by position, then by values, where names differ', () => {
    expect(matches(result('a,n', ['x', 2]), result('z,count', ['x', 2]))).toBe(true)
    expect(matches(result('a,n', ['x', 2], ['y', 1]), result('count,z', [1, 'y'], [2, 'x']))).toBe(true)
  })

  it('by values are each a different one', () => {
    expect(matches(result('a,b', [1, 1], [2, 2]), result('a,c', [1, 9], [2, 8]))).toBe(false)
    expect(matches(result('a,b', [1, 1], [2, 2]), result('c,d', [1, 9], [2, 8]))).toBe(false)
  })

  it('by values must agree row by row, not column by column', () => {
    expect(matches(result('a,b', [1, 10], [2, 20]), result('c,d', [20, 1], [10, 2]))).toBe(false)
    expect(matches(result('a,b', [1, 10], [2, 20]), result('c,d', [10, 1], [20, 2]))).toBe(true)
  })

  it('by values are assigned globally: the first that fits may be needed by another', () => {
    const expected = result('a,b,c', [1.00005, 1.0001, 7], [3, 3, 8])
    const actual = result('x,y,z', [7, 1.00015, 1], [8, 3, 3])
    expect(matches(expected, actual)).toBe(true)
  })

  it('by values keep the order of rows where it counts', () => {
    const expected = result('a,b', [1, 'x'], [2, 'y'])
    expect(matches(expected, result('q,p', ['x', 1], ['y', 2]), { order: 'ordered' })).toBe(true)
    expect(matches(expected, result('q,p', ['y', 2], ['x', 1]), { order: 'ordered' })).toBe(false)
  })

  it('names that occur twice leave it to position', () => {
    expect(matches(result('a,a', [1, 2]), result('a,a', [1, 2]))).toBe(true)
    expect(matches(result('a,a', [1, 2]), result('a,a', [2, 1]), { columns: 'position' })).toBe(false)
  })

  it('names that occur twice on one side only are not both met by one column', () => {
    expect(matches(result('a,a', [1, 1]), result('a', [1]))).toBe(false)
    expect(matches(result('a', [1]), result('a,a', [1, 1]))).toBe(false)
  })

  it.each<[string, ResultSet, ResultSet, string]>([
    ['an extra one', result('a', [1]), result('A,n', [1, 2]), 'column extra: n'],
    ['a missing one', result('a,n', [1, 2]), result('a', [1]), 'column missing: n'],
    ['another number', result('a,b', [1, 2]), result('c', [1]), '1 columns (c) instead of 2 (a, b)'],
  ])('%s is a mismatch that says so', (_name, expected, actual, text) => {
    expect(compareResults(expected, actual, defaults)).toMatchObject({
      match: false,
      differences: [{ kind: 'columns', text }],
    })
  })

  it('follow the mode a case asks for', () => {
    const [expected, actual] = [result('a,b', [1, 2]), result('b,a', [1, 2])]
    expect(matches(expected, actual, { columns: 'position' })).toBe(true)
    expect(matches(expected, actual, { columns: 'values' })).toBe(true)
    expect(matches(expected, actual, { columns: 'name' })).toBe(false)
    expect(matches(expected, result('x,y', [1, 2]), { columns: 'name' })).toBe(false)
    expect(matches(expected, result('x,y', [2, 1]), { columns: 'position' })).toBe(false)
    expect(matches(expected, result('x,y', [2, 1]), { columns: 'values' })).toBe(true)
  })

  it('with many duplicates are assigned', () => {
    const names = (letter: string) => Array.from({ length: 12 }, (_, i) => `${letter}${i}`).join(',')
    const rows = Array.from({ length: 200 }, (_, r) =>
      Array.from({ length: 12 }, (_, c) => (r * (c === 11 ? 7 : 1)) % 5),
    )
    const reversed = rows.map((row) => [...row].reverse())
    expect(matches(result(names('a'), ...rows), result(names('b'), ...reversed))).toBe(true)
  })
})

describe('differences', () => {
  it('name the changed row with the cells that differ, in the expected column order', () => {
    const found = compareResults(
      result('period,dau', ['2025-11', 474.97]),
      result('dau,period', [949.93, '2025-11']),
      defaults,
    )
    expect(found).toEqual({
      match: false,
      expectedRows: 1,
      actualRows: 1,
      columns: ['period', 'dau'],
      differing: 1,
      differences: [
        { kind: 'changed', expected: ['2025-11', 474.97], actual: ['2025-11', 949.93], cells: [1] },
      ],
    })
  })

  it('pair the rows that share most cells', () => {
    const found = compareResults(
      result('a,b,c', ['x', 1, 1], ['y', 2, 2]),
      result('a,b,c', ['y', 2, 3], ['x', 1, 4]),
      defaults,
    )
    expect(found.differences).toEqual([
      { kind: 'changed', expected: ['x', 1, 1], actual: ['x', 1, 4], cells: [2] },
      { kind: 'changed', expected: ['y', 2, 2], actual: ['y', 2, 3], cells: [2] },
    ])
  })

  it('name missing and extra rows that nothing is like', () => {
    const found = compareResults(
      result('a,b,c', ['x', 1, 1], ['y', 2, 2]),
      result('a,b,c', ['x', 1, 1], ['z', 8, 9], ['w', 7, 7]),
      defaults,
    )
    expect(found.differing).toBe(2)
    expect(found.differences).toEqual([
      { kind: 'missing', row: ['y', 2, 2] },
      { kind: 'extra', row: ['z', 8, 9] },
      { kind: 'extra', row: ['w', 7, 7] },
    ])
  })

  it('are all counted, and at most twenty are listed', () => {
    const numbers = (from: number) => Array.from({ length: 500 }, (_, i): Value[] => [from + i])
    const found = compareResults(result('a', ...numbers(0)), result('a', ...numbers(1000)), defaults)
    expect([found.differing, found.differences.length]).toEqual([500, 20])
    expect(new Set(found.differences.map(({ kind }) => kind))).toEqual(new Set(['missing', 'extra']))
  })
})

describe('for any results', () => {
  const cell: fc.Arbitrary<Value> = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom<Value>(
      null,
      true,
      false,
      'x',
      '2024-01-01',
      date('2024-01-01'),
      decimal('1.00'),
      2n,
      Number.NaN,
    ),
    fc.double({ min: 0.999, max: 1.001, noNaN: true }),
  )
  const results = fc.integer({ min: 1, max: 3 }).chain((width) =>
    fc.record({
      width: fc.constant(width),
      rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 7 }),
      others: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 7 }),
      seed: fc.nat(),
    }),
  )
  const names = (letter: string, width: number) =>
    Array.from({ length: width }, (_, i) => `${letter}${i}`).join(',')

  /** A shuffle that depends on the seed alone. */
  function shuffled<T>(items: readonly T[], seed: number): T[] {
    return items
      .map((item, i) => ({ item, key: Math.imul(seed + i + 1, 0x9e3779b1) >>> 0 }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item)
  }

  it('each matches itself, with its rows and columns shuffled', () => {
    fc.assert(
      fc.property(results, ({ width, rows, seed }) => {
        const itself = result(names('a', width), ...rows)
        expect(matches(itself, itself, { order: 'ordered' })).toBe(true)
        const columns = shuffled([...Array(width).keys()], seed)
        const moved = shuffled(rows, seed).map((row) => columns.map((column) => row[column] ?? null))
        expect(matches(itself, result(names('b', width), ...moved))).toBe(true)
        expect(matches(itself, result(columns.map((column) => `a${column}`).join(','), ...moved))).toBe(true)
      }),
    )
  })

  it('the comparison is symmetric, and as many rows differ from either side', () => {
    fc.assert(
      fc.property(results, ({ width, rows, others }) => {
        const [a, b] = [result(names('a', width), ...rows), result(names('a', width), ...others)]
        const [there, back] = [compareResults(a, b, defaults), compareResults(b, a, defaults)]
        expect([back.match, back.differing]).toEqual([there.match, there.differing])
      }),
    )
  })

  it('rows match exactly where some one-to-one pairing does', () => {
    fc.assert(
      fc.property(results, ({ width, rows, others }) => {
        const pairs = rows.map((row) =>
          others.map((other) => row.every((value, i) => cellsMatch(value, other[i] ?? null))),
        )
        const pairing = (at: number, used: readonly number[]): boolean =>
          at === rows.length ||
          others.some((_, i) => pairs[at]?.[i] === true && !used.includes(i) && pairing(at + 1, [...used, i]))
        const expected = rows.length === others.length && pairing(0, [])
        expect(matches(result(names('a', width), ...rows), result(names('a', width), ...others))).toBe(
          expected,
        )
      }),
      { numRuns: 150 },
    )
  })

  it('noise within the tolerance changes nothing, noise beyond it always does', () => {
    const numbers = fc.array(fc.double({ min: 1.0001, max: 1e6, noNaN: true }), {
      minLength: 1,
      maxLength: 50,
    })
    fc.assert(
      fc.property(numbers, fc.nat(), (values, seed) => {
        const rows = values.map((value) => [Number.isInteger(value) ? value + 0.5 : value])
        const noisy = shuffled(rows, seed).map(([value = 0], i) => [
          value * (i % 2 === 0 ? 1 + 4e-5 : 1 - 4e-5),
        ])
        expect(matches(result('a', ...rows), result('a', ...noisy))).toBe(true)
        const [first, ...rest] = rows
        expect(matches(result('a', ...rows), result('a', [(first?.[0] ?? 0) * -1], ...rest))).toBe(false)
      }),
    )
  })
})

describe('large results', () => {
  it('of a hundred thousand noisy rows are matched', () => {
    const noise = (i: number) => 1 + ((i % 7) - 3) * 1e-6
    const rows = Array.from({ length: 100_000 }, (_, i): Value[] => [`k${i % 1000}`, (i * 37.7) % 991])
    const shuffledRows = rows
      .map(([key = null, value], i): Value[] => [key, Number(value) * noise(i)])
      .reverse()
    expect(matches(result('k,v', ...rows), result('k,v', ...shuffledRows))).toBe(true)
  })

  it('of many equal rows in a column of numbers are matched', () => {
    const rows = Array.from({ length: 20_000 }, (_, i): Value[] => [i % 2 === 0 ? 0.5 : 0.25])
    const actual = rows.map(([value]): Value[] => [Number(value) * (1 + 1e-6)])
    expect(matches(result('v', ...rows), result('v', ...actual.reverse()))).toBe(true)
    expect(
      compareResults(result('v', ...rows), result('v', ...actual.slice(1), [0.75]), defaults).differing,
    ).toBe(1)
  })
})

interface Trap {
  readonly id: string
  readonly want: boolean
  readonly gold: { readonly columns: string[]; readonly rows: unknown[][] }
  readonly pred: { readonly columns: string[]; readonly rows: unknown[][] }
  readonly gold_sql: string
}

const trapsPath = fileURLToPath(new URL('../../../../shared/corpora/result_traps.jsonl', import.meta.url))
const hasTraps = existsSync(trapsPath)
const traps: readonly Trap[] = hasTraps
  ? readFileSync(trapsPath, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : []

function trapValue(cell: unknown): Value {
  if (cell === null || typeof cell === 'number' || typeof cell === 'string' || typeof cell === 'boolean')
    return cell
  const [kind, text] = Object.entries(Object(cell))[0] ?? []
  if (kind === '$decimal') return decimal(String(text))
  if (kind === '$bigint') return BigInt(String(text))
  if (kind === '$date') return date(String(text))
  throw new Error(`unknown cell ${JSON.stringify(cell)}`)
}

describe('traps of other comparators (../shared/corpora/result_traps.jsonl)', () => {
  it.skipIf(!hasTraps)('are present', () => {
    expect(traps.length).toBeGreaterThanOrEqual(21)
  })

  it.each(traps)('$id: $want', ({ want, gold, pred, gold_sql: sql }) => {
    const read = (side: Trap['gold']) =>
      result(side.columns.join(','), ...side.rows.map((row) => row.map(trapValue)))
    const order = /order by[^()]*$/i.test(sql) ? 'ordered' : 'unordered'
    expect(matches(read(gold), read(pred), { order })).toBe(want)
  })
})
