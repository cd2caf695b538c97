import { describe, expect, it } from 'vitest'
import { requiredTables } from '../../../src/engine/fuzz/required-tables.js'

function table(name: string, ...parents: string[]) {
  const references = parents.map((parent) => ({ columns: [0], table: parent.toUpperCase(), targets: [0] }))
  return { name, shape: { name: name.toUpperCase(), columns: [], keys: [], references, checks: [] } }
}

const tables = [
  table('shop.orders', 'shop.customers'),
  table('shop.customers', 'cities'),
  table('cities'),
  table('visits'),
  table('odd name'),
]
const views = [
  { name: 'busy', sql: 'CREATE VIEW busy AS SELECT * FROM "Visits" WHERE n > 1' },
  { name: 'shop.best', sql: 'CREATE VIEW shop.best AS SELECT * FROM busy JOIN shop.Orders USING (id)' },
  { name: 'odd', sql: 'CREATE VIEW odd AS FROM "Odd Name"' },
]

describe('the tables that queries need', () => {
  it.each<[string, string[], string[]]>([
    ['a table', ['visits'], ['VISITS']],
    ['what it refers to', ['shop.orders'], ['CITIES', 'SHOP.CUSTOMERS', 'SHOP.ORDERS']],
    ['what is behind a view', ['busy'], ['VISITS']],
    ['views of views', ['shop.best'], ['CITIES', 'SHOP.CUSTOMERS', 'SHOP.ORDERS', 'VISITS']],
    ['names in quotes', ['odd'], ['ODD NAME']],
    ['nothing for what is not there', ['nowhere'], []],
  ])('%s', (_name, wanted, found) => {
    expect([...requiredTables(wanted, tables, views)].sort()).toEqual(found)
  })
})
