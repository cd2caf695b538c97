import { expect, it } from 'vitest'
import { selectTables } from '../../src/agent/relevant-tables.js'

const catalogueOf = (...names: readonly string[]) => ({
  tables: names.map((name) => ({ name, columns: [{ name: 'id', type: 'INTEGER', notNull: true as const }] })),
})
const many = Array.from({ length: 21 }, (_, at) => `t${at}`)

it.each<[string, readonly string[], string, readonly string[]]>([
  [
    'those that a text names by their last part',
    ['shop.orders', 'shop.users'],
    'SELECT 1 FROM Orders',
    ['shop.orders'],
  ],
  ['those in quotes, too', ['shop."Orders"', 'users'], 'orders by day', ['shop."Orders"']],
  ['no part of a longer word', ['order', 'users'], 'reorder users', ['users']],
  ['all of a small database where a text names none', ['orders', 'users'], 'hello', ['orders', 'users']],
  ['none of a large one where a text names none', many, 'hello', []],
])('tables shown to the agent are %s', (_, names, text, shown) => {
  expect(selectTables(catalogueOf(...names), text).map(({ name }) => name)).toEqual(shown)
})

it('shows of a column its name and type, and no table where the catalogue is unknown', () => {
  expect(selectTables(catalogueOf('orders'), 'orders')).toEqual([
    { name: 'orders', columns: [{ name: 'id', type: 'INTEGER' }] },
  ])
  expect(selectTables(undefined, 'orders')).toEqual([])
})
