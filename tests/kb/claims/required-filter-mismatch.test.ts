import { expect, it } from 'vitest'
import { findContradictions } from '../../../src/kb/claims/find-contradictions.js'
import { parseKnowledgeBase } from '../../../src/kb/parse.js'
import { snapshotOf } from '../knowledge-files.js'

const of = (table: string, condition: string): string =>
  `SELECT count(*) AS n FROM ${table} o WHERE ${condition}\n`
const rule =
  '- **Test orders** (`is_test`) are QA.\n  Leave them out of everything that reads `shop.orders`.\n'

/** Three queries of the table with the filter, and one more. */
function found(last: string, note = rule, table = 'shop.orders'): string[] {
  const snapshot = snapshotOf({
    'kb/snippets/a.sql': of(table, 'o.is_test = FALSE'),
    'kb/snippets/b.sql': of(table, 'NOT IS_TEST'),
    'kb/snippets/c.sql': of(table, 'is_test = 0'),
    'kb/snippets/d.sql': last,
    'kb/notes/n.md': `# Orders\n\n${note}`,
  })
  return findContradictions(parseKnowledgeBase(snapshot, 'kb'), () => '').map(
    ({ path, offset, message }) => `${path.slice(12)}:${offset} ${message}`,
  )
}

const missing = of('shop.orders', "status = 'paid'")
const shown = 'd.sql:26 reads shop.orders without `is_test`, which kb/notes/n.md:1 requires'

it.each([
  ['of everything that reads a table', missing, rule],
  ['as a condition', missing, 'Every query of `shop.orders` says `is_test = FALSE`.\n'],
])('a filter that a note demands %s is missed where one query lacks it', (_what, last, note) => {
  expect(found(last, note)).toEqual([shown])
})

it('a note may name the table without its schema, or by its beginning', () => {
  expect(found(missing, rule.replace('shop.orders', 'orders'))).toHaveLength(1)
  expect(found(missing, rule.replace('shop.orders', 'ord*'))).toHaveLength(1)
})

it.each([
  ['every query has it', of('shop.orders', 'is_test IS FALSE'), rule],
  ['the query reads another table', of('shop.orders_old', 'true'), rule],
  ['the note speaks of some queries only', missing, 'Leave `is_test` out of revenue in `shop.orders`.\n'],
  ['the table is not named', missing, 'Leave `is_test` out of everything.\n'],
  ['it names another column that nobody asks for', missing, rule.replace('is_test', 'is_gift')],
])('nothing is missed where %s', (_what, last, note) => {
  expect(found(last, note)).toEqual([])
})

it('what as many queries do without is no rule', () => {
  const half = `${missing.trim()} UNION ALL ${of('shop.orders', 'true')}`
  expect(found(half, rule, 'shop.other')).toEqual([])
})
