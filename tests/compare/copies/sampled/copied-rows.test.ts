import { describe, expect, it } from 'vitest'
import { fittingRows, withoutOrphans } from '../../../../src/compare/copies/sampled/copied-rows.js'
import { type SampledTable, sampledTable } from '../../../../src/compare/copies/sampled/sample-tables.js'
import type { CatalogueTable, Value } from '../../../../src/engine/contract/engine.js'

/** A table with one column besides its key. */
function tableOf(type: string, held: readonly (string | null)[], notNull = false): SampledTable {
  const columns = [
    { name: 'id', type: 'smallint', notNull: true as const },
    { name: 'c', type, ...(notNull ? { notNull: true as const } : {}) },
  ]
  const rows = held.map((cell, at) => [String(at), cell])
  return sampledTable(
    { name: 't', columns, keys: [{ columns: ['id'], primary: true }] },
    { rows, habits: new Map() },
    'postgres',
  )
}

const cellsOf = (table: SampledTable, ...cells: Value[]) =>
  fittingRows(
    table,
    cells.map((cell, at) => [at, cell]),
  ).map(([, cell]) => cell)

describe('what a column cannot hold is replaced by what it holds', () => {
  it.each<[string, string, readonly string[], Value, string]>([
    ['a number that is too large', 'smallint', ['7'], 40_000, '7'],
    ['a fraction among whole numbers', 'integer', ['7'], 1.5, '7'],
    ['too many digits', 'numeric(4, 2)', ['7.00'], 1000, '7.00'],
    ['a day that is not in the calendar', 'date', ['2024-01-01'], '2024-02-30', '2024-01-01'],
    ['a text that is too long', 'character varying(3)', ['abc'], 'abcd', 'abc'],
    ['a broken document', 'jsonb', ['{}'], '{', '{}'],
    ['what no server named', 'mood', ['ok'], 'OK', 'ok'],
    ['a truth value', 'boolean', ['1'], 2, '1'],
  ])('%s', (_, type, held, cell, expected) => {
    expect(cellsOf(tableOf(type, held), cell)).toEqual([expected])
  })

  it('what fits stays', () => {
    expect(cellsOf(tableOf('numeric(10, 2)', ['7']), 12.5, null)).toEqual(['12.5', null])
    expect(
      cellsOf(tableOf('timestamp without time zone', ['2024-01-01 00:00:00']), '2024-02-29 10:00:00'),
    ).toEqual(['2024-02-29 10:00:00'])
  })

  it('a row whose key does not fit, or that has nothing to put in, is left out', () => {
    const table = tableOf('text', ['a'])
    expect(
      fittingRows(table, [
        [40_000, 'a'],
        [1, 'b'],
      ]),
    ).toEqual([['1', 'b']])
    expect(cellsOf(tableOf('date', [], true), 'never')).toEqual([])
  })
})

it('rows that refer to one that is gone go with it, and so on; NULL refers to nothing', () => {
  const column = (name: string) => ({ name, type: 'integer' })
  const table = (name: string, parent: string | undefined): CatalogueTable => ({
    name,
    columns: [column('id'), column('parent')],
    ...(parent === undefined
      ? {}
      : { references: [{ columns: ['parent'], table: parent, targets: ['id'] }] }),
  })
  const tables = [table('a', undefined), table('b', 'a'), table('c', 'b')].map((each) =>
    sampledTable(each, { rows: [], habits: new Map() }, 'postgres'),
  )
  const left = withoutOrphans(
    tables,
    new Map([
      ['a', [['1', null]]],
      [
        'b',
        [
          ['1', '1'],
          ['2', '9'],
          ['3', null],
        ],
      ],
      [
        'c',
        [
          ['1', '1'],
          ['2', '2'],
          ['3', '3'],
        ],
      ],
    ]),
  )
  expect(left.get('b')).toEqual([
    ['1', '1'],
    ['3', null],
  ])
  expect(left.get('c')).toEqual([
    ['1', '1'],
    ['3', '3'],
  ])
})
