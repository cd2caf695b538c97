import { describe, expect, it } from 'vitest'
import { candidateLiterals, matchesColumnFormat } from '../../../src/engine/fuzz/candidate-literals.js'
import { perturbScalar, unusedText } from '../../../src/engine/fuzz/perturb-values.js'
import { randomFrom } from '../../../src/engine/fuzz/seeded-random.js'
import type { ComparedLiteral } from '../../../src/sql/index.js'

type Asked = Pick<ComparedLiteral, 'kind' | 'text' | 'role'>

function written(asked: Asked, held: readonly string[]): readonly string[] {
  const value: ComparedLiteral = { table: 't', column: 'c', ...asked }
  const { named, around } = candidateLiterals([{ value, stored: asked.text }], held)
  return [...named, ...around]
}

describe('values written for a literal in queries', () => {
  it.each<[string, Asked, string[], string[]]>([
    [
      'a month, among days',
      { kind: 'text', text: '2025-11', role: 'part' },
      ['2025-01-02'],
      ["'2025-11-01'", "'2025-11-30'", "'2025-12-01'", "'2025-10-31'"],
    ],
    [
      'a year, among months',
      { kind: 'number', text: '2025', role: 'part' },
      ['202401'],
      ['202501', '202512', '202601', '202412'],
    ],
    [
      'a day, among moments',
      { kind: 'text', text: '2025-12-31', role: 'bound' },
      ['2025-01-02 10:00:00.5'],
      [
        "'2025-12-31 00:00:00'",
        "'2025-12-31 23:59:59'",
        "'2026-01-01 00:00:00'",
        "'2025-12-30 23:59:59'",
        "'2024-12-31 00:00:00'",
        "'2026-12-31 00:00:00'",
      ],
    ],
    [
      'a day, among seconds',
      { kind: 'text', text: '2025-01-01', role: 'part' },
      ['1741132800', '0'],
      ['1735689600', '1735775999', '1735776000', '1735689599'],
    ],
    [
      'a day as a bound, among days',
      { kind: 'text', text: '2025-03-01', role: 'bound' },
      ['2025-01-02'],
      ["'2025-03-01'", "'2025-03-02'", "'2025-02-28'", "'2024-03-01'", "'2026-03-01'"],
    ],
    [
      'a day that is equal, among days',
      { kind: 'text', text: '2025-03-01' },
      ['2025-01-02'],
      ["'2025-03-01'"],
    ],
    [
      'a bound, among whole numbers',
      { kind: 'number', text: '300', role: 'bound' },
      ['1', '22'],
      ['300', '299', '301'],
    ],
    [
      'a bound between whole numbers',
      { kind: 'number', text: '0.5', role: 'bound' },
      ['1', '22'],
      ['0', '1'],
    ],
    [
      'a bound, among amounts',
      { kind: 'number', text: '50', role: 'bound' },
      ['1.25', '22.0'],
      ['50', '49.99', '50.01', '49.00', '51.00'],
    ],
    ['zero, where nothing is less', { kind: 'number', text: '0', role: 'bound' }, ['1', '22'], ['0', '1']],
    ['what is no month, among months', { kind: 'number', text: '202513', role: 'bound' }, ['202501'], []],
    [
      'a beginning, among codes',
      { kind: 'text', text: 'C', role: 'prefix' },
      ['I21.9', 'C50.1', 'i10'],
      ["'C21.9'", "'C50.1'"],
    ],
    ['a beginning with zeros in front', { kind: 'text', text: '02', role: 'prefix' }, ['94110'], ["'02110'"]],
    [
      'a sign, among amounts',
      { kind: 'number', text: '-1', role: 'negative' },
      ['1.5', '22.0'],
      ['-1', '-220'],
    ],
    ['a sign, among flags', { kind: 'number', text: '-1', role: 'negative' }, ['1', '0'], []],
    ['a sign, among codes', { kind: 'number', text: '-1', role: 'negative' }, ['007'], []],
    [
      'spaces that are cut off',
      { kind: 'text', text: '', role: 'padded' },
      ['gold', 'tin', 'lead'],
      ["'gold '", "' gold'", "'tin '", "' tin'"],
    ],
    [
      'any letter case',
      { kind: 'text', text: '', role: 'cased' },
      ['Gold', 'Tin', 'Lead'],
      ["'GOLD'", "'gold'", "'TIN'", "'tin'"],
    ],
    ['an end', { kind: 'text', text: '%-G_', role: 'pattern' }, ['SG-G1'], ["'x-Gx'"]],
    ['a middle', { kind: 'text', text: '%due%', role: 'pattern' }, ['over due', 'paid'], ["'x due x'"]],
    ['a middle of numbers', { kind: 'text', text: '%7%', role: 'pattern' }, ['12', '77'], []],
    [
      'a day by itself, among months',
      { kind: 'text', text: '2025-03-15' },
      ['2025-01-01', '2025-02-01', '2025-05-01'],
      ["'2025-03-15'"],
    ],
    [
      'a day as a bound, among months',
      { kind: 'text', text: '2025-03-31', role: 'bound' },
      ['2025-01-01', '2025-02-01', '2025-05-01'],
      ["'2025-04-01'"],
    ],
    ['a part of words', { kind: 'text', text: 'urgent', role: 'part' }, ['yellow', 'orange-red'], []],
  ])('%s', (_name, asked, held, expected) => {
    expect(written(asked, held)).toEqual(expected)
  })
})

describe('a text that no query names', () => {
  const named: ComparedLiteral = { table: 't', column: 'c', kind: 'text', text: 'open' }
  const other = (held: readonly string[], values = [named]) =>
    unusedText({ near: perturbScalar }, held, values, randomFrom('other'))

  it('is none of those that the column holds or a query names', () => {
    const held = ['paid', 'PAID', 'pai']
    expect([...held, 'open', '', undefined]).not.toContain(other(held))
    const { around } = candidateLiterals([{ value: named, stored: 'open' }], held, { other: 'paids' })
    expect(around).toEqual(["'paids'"])
  })

  it('is not created among days, nor where no text is compared', () => {
    expect(other(['2025-01-02', '2025-03-04'])).toBeUndefined()
    expect(other(['paid'], [{ ...named, kind: 'number', text: '1' }])).toBeUndefined()
    expect(other([])).toBeUndefined()
  })

  it('is created where a query shows the first groups', () => {
    expect(other(['SGD', 'USD'], [{ ...named, text: '', role: 'group' }])).toBeDefined()
  })

  it('is not written among flags', () => {
    expect(candidateLiterals([], ['Y', 'N'], { other: 'Ys' }).around).toEqual([])
  })
})

describe('a literal in queries', () => {
  it.each<[string, ComparedLiteral['kind'], string[], boolean]>([
    ['no_show', 'text', ['confirmed', 'held'], true],
    ['no_show', 'text', [], true],
    ['no_show', 'text', ['1', '2'], false],
    ['2025-11-30', 'text', ['2025-01-02'], true],
    ['2025-11', 'text', ['2025-01-02'], false],
    ['202511', 'text', ['20250102'], false],
    ['20251130', 'text', ['20250102'], true],
    ['2025-11-30', 'text', ['2025-01-02 10:00:00'], false],
    ['007', 'text', ['001', '002'], true],
    ['5000', 'number', ['1', '22'], true],
    ['5000', 'number', ['1.5', '22.0'], true],
    ['0.5', 'number', ['1', '22'], false],
    ['1234', 'number', ['01234', '94110'], false],
    ['202601', 'number', ['202501', '202512'], true],
    ['202513', 'number', ['202501', '202512'], false],
    ['20251131', 'text', ['20251130'], false],
    ['10001', 'number', ['01234', '94110'], true],
    ['0.5', 'number', ['1.25', '22.0'], true],
    ['5', 'number', ['a', 'b'], false],
  ])('%s (%s) may be written among %j: %s', (text, kind, held, may) => {
    expect(matchesColumnFormat(text, kind, held)).toBe(may)
  })
})
