import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { interpret } from '../../src/kb/interpret-question.js'
import type { Interpretation } from '../../src/kb/question-interpretation.js'
import { parseFiles, shop } from './knowledge-files.js'

const kb = parseFiles(shop)
const asOf = '2025-12-17'

function read(question: string): Interpretation {
  return interpret(question, kb, asOf)
}

/** `dau market=ID period=2025-11-01..2025-11-30`, or the reason it is unbound. */
function summary(question: string, base = kb): string {
  const meaning = interpret(question, base, asOf)
  if (meaning.kind === 'unbound') return `${meaning.reason}: ${meaning.message}`
  const values = meaning.bindings.map(({ parameter, value, span }) => {
    const text =
      value.kind === 'enum'
        ? value.code
        : value.kind === 'number'
          ? `${value.value}`
          : value.kind === 'choice'
            ? value.name
            : `${value.start}..${value.end}`
    return `${parameter}=${text}${span === undefined ? '*' : ''}`
  })
  return [meaning.metric.name, ...values].join(' ')
}

const november = 'period=2025-11-01..2025-11-30'

describe('a question that binds', () => {
  it.each([
    ['ID market DAU in November 2025', `dau market=ID ${november}`],
    ['What was the daily active users of Thailand in November 2025?', `dau market=TH ${november}`],
    ['dau, indonesia, 2025-11', `dau market=ID ${november}`],
    ["Indonesia's DAU in November 2025", `dau market=ID ${november}`],
    ['please show me how many daily  active\nusers ID had in November 2025', `dau market=ID ${november}`],
    ['DAU in IN in November 2025', `dau market=IN ${november}`],
    ['MY DAU in November 2025', `dau market=MY ${november}`],
    ['what is my DAU in ID in November 2025', `dau market=ID ${november}`],
    ['DAU (daily active users) of ID in November 2025', `dau market=ID ${november}`],
    ['DAU in ID (Indonesia) in November 2025', `dau market=ID ${november}`],
    ['gross merchandise value by device in TH in November 2025', `gmv market=TH ${november} by=device`],
    ['GMV per device in TH in November 2025', `gmv market=TH ${november} by=device`],
    ['GMV in TH in November 2025', `gmv market=TH ${november} by=total*`],
    ['gross merchandise value margin', 'gross_margin'],
    ['top 5 products in TH in November 2025', `products market=TH ${november} n=5`],
    ['first 1,000 products in November 2025', `products market=ID* ${november} n=1000`],
    ['best sellers in November 2025', `products market=ID* ${november} n=10*`],
    ['top 2025 products in November 2025', `products market=ID* ${november} n=2025`],
    ['DAU among the market ID in November 2025', `dau market=ID ${november}`],
    ['GMV of the TH markets in November 2025', `gmv market=TH ${november} by=total*`],
    ['top 5 n products in TH in November 2025', `products market=TH ${november} n=5`],
    ['top-3 products in TH in the last 7 days', 'products market=TH period=2025-12-11..2025-12-17 n=3'],
  ])('%s', (question, expected) => {
    expect(summary(question)).toBe(expected)
  })

  it('keeps where each value stands, and where the alias does', () => {
    const question = 'top 5 products in TH in November 2025'
    const meaning = read(question)
    expect(meaning.aliasSpan).toEqual({ start: 6, end: 14, text: 'products' })
    expect(meaning.bindings.map(({ span }) => span)).toEqual([
      { start: 18, end: 20, text: 'TH' },
      { start: 21, end: 37, text: 'in November 2025' },
      { start: 0, end: 5, text: 'top 5' },
    ])
  })

  it('prefers the longest alias of any metric to one inside it', () => {
    expect(summary('gross merchandise value margin')).toBe('gross_margin')
    expect(summary('gross merchandise value in ID in November 2025')).toMatch(/^gmv /)
  })
})

describe('a question that does not bind', () => {
  it.each([
    [
      'DAU in ID in November 2025 by device',
      'leftover_words: no entry of the knowledge base matches: by device',
    ],
    ['average DAU in ID in November 2025', 'leftover_words: no entry of the knowledge base matches: average'],
    [
      'DAU and refunds of ID in November 2025',
      'leftover_words: no entry of the knowledge base matches: refunds',
    ],
    [
      'DAU without bots in ID in 2025',
      'leftover_words: no entry of the knowledge base matches: without bots',
    ],
    ['DAU % in ID in 2025', 'leftover_words: no entry of the knowledge base matches: %'],
    ['DAUs in ID in 2025', 'no_metric: no metric for: DAUs'],
    ['top five products in 2025', 'leftover_words: no entry of the knowledge base matches: top five'],
    ['top 2.5 products in 2025', 'leftover_words: no entry of the knowledge base matches: top 2, 5'],
    ['top 5% products in 2025', 'leftover_words: no entry of the knowledge base matches: top 5%'],
    ['GMV by device by in TH in 2025', 'leftover_words: no entry of the knowledge base matches: by'],
    ['products in PH in 2025', 'leftover_words: no entry of the knowledge base matches: PH'],
    ['products in 2025 in US', 'leftover_words: no entry of the knowledge base matches: US'],
    [
      'gross merchandise value margin in 2025',
      'leftover_words: no entry of the knowledge base matches: 2025',
    ],
    ['DAU of ID', 'missing_parameter: no value for period'],
    ['DAU', 'missing_parameter: no value for market, period'],
    [
      'DAU in Philippines in 2025',
      'missing_parameter: no value for market; no entry of the knowledge base matches: Philippines',
    ],
    [
      'DAU in id in 2025',
      'missing_parameter: no value for market; no entry of the knowledge base matches: id',
    ],
    [
      'DAU on 31 Nov 2025 in ID',
      'missing_parameter: no value for period; no entry of the knowledge base matches: 31 Nov 2025',
    ],
    ['DAU in ID and TH in 2025', 'ambiguous_parameter: more than one value for market: ID, TH'],
    ['DAU in ID in 2024 vs 2025', 'ambiguous_parameter: more than one value for period: in 2024, 2025'],
    ['DAU, GMV of ID in 2025', 'ambiguous_metric: "DAU" and "GMV" matches more than one metric: dau, gmv'],
    ['refund rate in TH last month', 'no_metric: no metric for: refund rate'],
    ['in 2025?', 'no_metric: the question names no metric'],
    ['', 'no_metric: the question names no metric'],
  ])('%s', (question, expected) => {
    expect(summary(question)).toBe(expected)
  })

  it('still tells what it found and what it missed', () => {
    expect(read('DAU in Philippines by device in November 2025')).toMatchObject({
      kind: 'unbound',
      metric: { name: 'dau' },
      aliasSpan: { text: 'DAU' },
      bindings: [{ parameter: 'period', span: { text: 'in November 2025' } }],
      missing: ['market'],
      leftovers: [{ text: 'Philippines by device' }],
    })
  })

  it('takes capitals for a code that is not known, not for the word', () => {
    const base = parseFiles({
      ...shop,
      'kb/metrics/dau.yaml': (shop['kb/metrics/dau.yaml'] ?? '').replace(', MY: []', ''),
    })
    expect(summary('MY market DAU in November 2025', base)).toContain('matches: MY')
  })

  it('is ambiguous where two metrics have the alias', () => {
    const copy = (shop['kb/metrics/dau.yaml'] ?? '').replace('metric: dau', 'metric: dau_global')
    const base = parseFiles({ ...shop, 'kb/metrics/dau2.yaml': copy })
    expect(summary('DAU in ID in 2025', base)).toBe(
      'ambiguous_metric: "DAU" matches more than one metric: dau, dau_global',
    )
  })

  it('is ambiguous where two parameters claim a word', () => {
    const base = parseFiles({
      'kb/metrics/trade.yaml': `metric: trade
aliases: [trade]
snippet: trade.sql
parameters:
  origin: { type: enum, values: [ID, TH] }
  target: { type: enum, values: [ID, TH] }
`,
      'kb/snippets/trade.sql': 'SELECT {{ origin }}, {{ target }}',
    })
    expect(summary('trade of ID', base)).toContain(
      'ambiguous_parameter: "ID" could be a value of more than one',
    )
  })

  it('takes the longer of two values that overlap', () => {
    const base = parseFiles({
      'kb/metrics/stores.yaml': `metric: stores
aliases: [stores]
snippet: stores.sql
parameters:
  city: { type: enum, values: { york: [York], nyc: [New York] } }
`,
      'kb/snippets/stores.sql': 'SELECT {{ city }}',
    })
    expect(summary('stores in new york', base)).toBe('stores city=nyc')
    expect(summary('stores in york', base)).toBe('stores city=york')
  })

  it.each([
    [
      'a file that is no YAML',
      { 'kb/metrics/dau.yaml': 'metric: dau\naliases:\n  - DAU\n - x: [' },
      'kb/metrics/dau.yaml:',
    ],
    [
      'a file of wrong types',
      { 'kb/metrics/dau.yaml': 'metric: dau\naliases: [DAU]\nsnippet: 7\n' },
      '`snippet` must be text',
    ],
    ['a missing snippet', { 'kb/snippets/dau.sql': '' as string | undefined }, 'does not exist'],
    ['a bad placeholder', { 'kb/snippets/dau.sql': 'SELECT {{ makret }}' }, 'is not a parameter'],
  ])('says why its metric cannot be used: %s', (_, change, message) => {
    const files = Object.entries({ ...shop, ...change }).filter(([, text]) => text !== '')
    const base = parseFiles(Object.fromEntries(files.map(([path, text]) => [path, text ?? ''])))
    expect(summary('DAU in ID in 2025', base)).toMatch(/^broken_entry: metric dau cannot be used: kb\//)
    expect(summary('DAU in ID in 2025', base)).toContain(message)
    expect(summary('GMV in ID in November 2025', base)).toMatch(/^gmv /)
  })
})

describe('any question', () => {
  const words = [
    'DAU',
    'GMV',
    'top',
    '5',
    'products',
    'ID',
    'TH',
    'in',
    '2025',
    'Nov',
    'by',
    'device',
    '%',
    'the',
    "'s",
    '-',
  ]

  it('is read the same every time, with spans that are its own text, none of them overlapping', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary' })), { maxLength: 12 }),
        (list) => {
          const question = list.join(' ')
          const meaning = read(question)
          expect(read(question)).toEqual(meaning)
          const bound = meaning.bindings.flatMap(({ span }) => (span === undefined ? [] : [span]))
          const leftovers = meaning.kind === 'unbound' ? meaning.leftovers : []
          for (const span of [...bound, ...leftovers]) {
            expect(question.slice(span.start, span.end)).toBe(span.text)
            expect(span.end).toBeGreaterThan(span.start)
          }
          for (const left of leftovers)
            for (const span of bound) expect(left.end <= span.start || left.start >= span.end).toBe(true)
        },
      ),
    )
  })

  it('abstains when a word that nothing covers is added', () => {
    const bound = 'DAU in ID in November 2025'.split(' ')
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{5,9}$/), fc.nat(bound.length), (word, at) => {
        const question = [...bound.slice(0, at), `${word}q`, ...bound.slice(at)].join(' ')
        expect(read(question).kind).toBe('unbound')
      }),
    )
  })
})
