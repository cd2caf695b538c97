import { expect, it } from 'vitest'
import { compareQueries } from '../../../src/sql/compare.js'
import { loadSqlParser } from '../../../src/sql/parser.js'

it('a star of columns that USING merges stands for what it stood for, if its table has no others', async () => {
  const parser = await loadSqlParser()
  const merged = 'SELECT * FROM (SELECT a FROM t) x JOIN u USING (a)'
  expect(compareQueries(parser, merged, 'SELECT * FROM t JOIN u USING (a)', 'postgres')).toMatchObject({
    kind: 'equal_if',
    assumptions: ['t has the column a and no others'],
  })
})
