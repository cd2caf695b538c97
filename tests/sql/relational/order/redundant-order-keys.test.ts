import { expect, it } from 'vitest'
import { compareQueries } from '../../../../src/sql/compare.js'
import { duplicatesAndNulls } from '../../rule-tables.js'
import { settingOf } from '../../rule-tests.js'

it('ORDER BY a constant orders nothing', async () => {
  const { parser, schema } = await settingOf(duplicatesAndNulls)
  const kind = (a: string, b: string) => compareQueries(parser, a, b, 'sqlite', { schema }).kind
  expect(kind("SELECT a FROM t ORDER BY 'a'", 'SELECT a FROM t')).toBe('equal')
  expect(kind("SELECT a FROM t ORDER BY 'a', a", 'SELECT a FROM t ORDER BY a')).toBe('equal')
  expect(kind('SELECT a FROM t ORDER BY 1', 'SELECT a FROM t')).toBe('different')
})
