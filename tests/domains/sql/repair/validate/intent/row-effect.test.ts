import { describe, expect, it } from 'vitest'
import {
  columnsComparedWith,
  rowEffect,
} from '../../../../../../src/domains/sql/repair/validate/intent/row-effect.js'

describe('effect of a query on the rows of a value', () => {
  it.each([
    ["SELECT 1 FROM t WHERE status IN ('active', 'past_due')", 'listed'],
    ["SELECT 1 FROM t WHERE status = 'past_due'", 'only'],
    ["SELECT 1 FROM t WHERE status = 'active'", 'excluded'],
    ["SELECT 1 FROM t WHERE t.status NOT IN ('past_due', 'x')", 'excluded'],
    ["SELECT 1 FROM t WHERE lower(status) <> 'past_due'", 'excluded'],
    ["SELECT 1 FROM t WHERE status <> 'trial'", 'free'],
    ['SELECT 1 FROM t', 'free'],
  ])('%s', (sql, expected) => {
    expect(rowEffect({ kind: 'literal', text: 'past_due' }, sql, ['status'])).toBe(expected)
  })

  it('is not known for a value that no query compares', () => {
    expect(rowEffect({ kind: 'literal', text: 'day' }, "SELECT date_trunc('day', x)", [])).toBeUndefined()
  })

  it('finds the columns', () => {
    expect(columnsComparedWith('a', "SELECT 1 WHERE t.kind IN ('b', 'a') AND state != 'a'")).toEqual([
      'kind',
      'state',
    ])
  })
})

describe('effect of a query on the rows that a column marks', () => {
  it.each([
    ['WHERE is_spam = 0', 'excluded'],
    ['WHERE NOT o.is_spam', 'excluded'],
    ['WHERE is_spam IS NOT TRUE', 'excluded'],
    ['WHERE coalesce(is_spam, 0) = 0', 'excluded'],
    ['WHERE is_spam <> 1', 'excluded'],
    ['WHERE is_spam IS NULL', 'excluded'],
    ['WHERE is_spam', undefined],
    ['WHERE is_spam = true', 'only'],
    ['WHERE is_spam IS NOT NULL', 'only'],
    ['WHERE x = 1', 'free'],
    ["WHERE is_spam = 'maybe'", 'listed'],
  ])('%s', (where, expected) => {
    expect(rowEffect({ kind: 'name', text: 'is_spam' }, `SELECT 1 FROM t ${where}`, [])).toBe(expected)
  })
})
