import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { canonicalForm } from '../../src/sql/canonical-form.js'
import { compareQueries } from '../../src/sql/compare.js'
import { loadSqlParser, type SqlParser } from '../../src/sql/parser.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

/** A query as data: columns are `[table, name]` by position, so that aliases are free. */
interface Query {
  readonly tables: readonly string[]
  readonly outputs: readonly { readonly call: string; readonly column: Column }[]
  readonly filters: readonly Filter[]
  readonly joins: readonly Column[]
  readonly grouped: boolean
  readonly limit: number | undefined
}
interface Column {
  readonly table: number
  readonly name: string
}
interface Filter {
  readonly column: Column
  readonly operator: string
  readonly value: string
}
/** How a query is written. */
interface Style {
  readonly aliases: readonly string[]
  readonly order: readonly number[]
  readonly upper: boolean
  readonly commas: boolean
  readonly gap: string
}

const column = fc.record({ table: fc.nat(2), name: fc.constantFrom('a', 'b', 'c') })
const query: fc.Arbitrary<Query> = fc.record({
  tables: fc.array(fc.constantFrom('t', 'u', 's.v'), { minLength: 1, maxLength: 3 }),
  outputs: fc.array(fc.record({ call: fc.constantFrom('', 'sum', 'max'), column }), {
    minLength: 1,
    maxLength: 3,
  }),
  filters: fc.array(
    fc.record({
      column,
      operator: fc.constantFrom('=', '<>', '<', '>='),
      value: fc.constantFrom('1', '2.5', "'x'", "DATE '2025-01-01'", 'NULL'),
    }),
    { maxLength: 4 },
  ),
  joins: fc.array(column, { minLength: 3, maxLength: 3 }),
  grouped: fc.boolean(),
  limit: fc.option(fc.nat(9), { nil: undefined }),
})
const style: fc.Arbitrary<Style> = fc.record({
  aliases: fc.uniqueArray(fc.constantFrom('x', 'y', 'z', 'p', 'q', 'r'), { minLength: 3, maxLength: 3 }),
  order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 7, maxLength: 7 }),
  upper: fc.boolean(),
  commas: fc.boolean(),
  gap: fc.constantFrom(' ', '\n  ', ' /* so */ ', ' -- so\n'),
})

function render(parts: Query, how: Style): string {
  const name = ({ table, name }: Column): string => `${how.aliases[table % parts.tables.length]}.${name}`
  const shuffled = (texts: readonly string[]): string[] => how.order.flatMap((at) => texts[at] ?? [])
  const outputs = parts.outputs.map(({ call, column }) =>
    call === '' ? name(column) : `${call}(${name(column)})`,
  )
  const filters = parts.filters.map(({ column, operator, value }) => `${name(column)} ${operator} ${value}`)
  const on = parts.tables
    .slice(1)
    .map((_, at) => `${how.aliases[at]}.id = ${name(parts.joins[at] ?? { table: 0, name: 'a' })}`)
  const tables = parts.tables.map((table, at) => `${table} ${how.aliases[at]}`)
  const from = how.commas
    ? shuffled(tables).join(', ')
    : [tables[0], ...tables.slice(1).map((table) => `CROSS JOIN ${table}`)].join(' ')
  const where = shuffled([...on, ...filters])
  const keys = parts.outputs.filter(({ call }) => call === '').map(({ column }) => name(column))
  const text = [
    `SELECT ${shuffled(outputs).join(', ')} FROM ${from}`,
    where.length > 0 ? `WHERE ${where.join(' AND ')}` : '',
    parts.grouped && keys.length > 0 ? `GROUP BY ${shuffled(keys).join(', ')}` : '',
    parts.limit === undefined ? '' : `LIMIT ${parts.limit}`,
  ].join(' ')
  const spaced = text.replaceAll(' ', how.gap)
  return how.upper
    ? spaced.replace(/\b(?:select|[a-z])\b/gu, (word) => word.toUpperCase()).replaceAll("'X'", "'x'")
    : spaced
}

describe('comparison of generated queries', () => {
  it('is reflexive', () => {
    fc.assert(
      fc.property(query, style, (parts, how) => {
        const sql = render(parts, how)
        expect(compareQueries(parser, sql, sql, 'duckdb')).toEqual({ kind: 'equal' })
      }),
    )
  })

  it('does not see aliases, layout, case and the order of tables, columns, conjuncts and keys', () => {
    fc.assert(
      fc.property(query, style, style, (parts, one, other) => {
        const [a, b] = [render(parts, one), render(parts, other)]
        expect(canonicalForm(parser, a, 'duckdb')).toBe(canonicalForm(parser, b, 'duckdb'))
      }),
    )
  })

  it('is symmetric in its kind, and says something about every difference', () => {
    fc.assert(
      fc.property(query, query, style, style, (left, right, one, other) => {
        const [a, b] = [render(left, one), render(right, other)]
        const finding = compareQueries(parser, a, b, 'duckdb')
        expect(compareQueries(parser, b, a, 'duckdb').kind).toBe(finding.kind)
        if (finding.kind === 'different') expect(finding.differences.length).toBeGreaterThan(0)
      }),
    )
  })

  it('sees a filter that is gone', () => {
    fc.assert(
      fc.property(query, style, style, (parts, one, other) => {
        // Beside filters that contradict one another, or LIMIT 0, another filter says nothing.
        fc.pre(parts.limit !== 0)
        const filters = parts.filters.filter(({ value }) => value !== 'NULL').slice(0, 1)
        const whole = {
          ...parts,
          filters: [...filters, { column: { table: 0, name: 'only' }, operator: '=', value: '7' }],
        }
        expect(
          compareQueries(parser, render(whole, one), render({ ...parts, filters }, other), 'duckdb').kind,
        ).toBe('different')
      }),
    )
  })
})
