import { describe, expect, it } from 'vitest'
import { compareResults } from '../../../src/compare/results/compare-results.js'
import type { Value } from '../../../src/engine/contract/engine.js'
import { date, decimal, defaults, matches, other, result, timestamp } from '../results/small-results.js'

/** One column of one row each. */
function cellsMatch(a: Value, b: Value, tolerance = 1e-4): boolean {
  const options = { ...defaults, tolerance }
  const there = compareResults(result('a', [a]), result('a', [b]), options).match
  expect(compareResults(result('a', [b]), result('a', [a]), options).match).toBe(there)
  return there
}

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
    ['an integer beyond 2^53 and the double nearest to it', 1234567890999999999n, 1234567891000000000],
    ['doubles beyond 2^53 within tolerance', 1.23456e18, 1.23457e18],
    ['an interval in hours and in days', other('interval', '24:00:00'), other('interval', '1 day')],
    ['intervals of days and months', other('INTERVAL', '1 month -1 days'), other('INTERVAL', '29 days')],
    ['an interval and its text', other('interval', '1 day 02:00:00'), '1 day 02:00:00'],
    ['json and jsonb', other('json', '{"b" : 1,\n"a": "\\u00e9"}'), other('jsonb', '{"a": "é", "b": 1}')],
    ['json whose names come twice', other('json', '{"a": 1, "a": 2}'), other('jsonb', '{"a": 2}')],
    ['texts of json and jsonb', other('json', '"en"'), other('jsonb', '"en"')],
    ['arrays of integers and of numerics', other('integer[]', '{1,NULL}'), other('numeric[]', '{1.0,NULL}')],
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
    ['an integer beyond 2^53 and a double near it', 1234567890999999999n, 1.2345678e18],
    [
      'a list of such an integer',
      other('BIGINT[]', '[1234567890123456789]'),
      other('DOUBLE[]', '[1.2345999e18]'),
    ],
    [
      'an integer of JSON beyond 2^53 and a double',
      other('json', '[1234567890123456789]'),
      other('json', '[1.2345e18]'),
    ],
    ['arrays of integers and of texts', other('integer[]', '{1,2}'), other('text[]', '{1,2}')],
    ['intervals', other('interval', '1 day'), other('interval', '25:00:00')],
    ['a text of json and a text', other('jsonb', '"en"'), 'en'],
    ['texts that spell one interval', '1 day', '24:00:00'],
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
