import { beforeAll, describe, expect, it } from 'vitest'
import { loadSqlParser, type SqlParser } from '../../../src/sql/parser.js'
import { comparePair } from '../dialect-pairs.js'

let parser: SqlParser
beforeAll(async () => {
  parser = await loadSqlParser()
})

describe('assumptions about a quotient', () => {
  it.each([
    ['postgres: a::float / b', 'mysql: a / b', ['t.a holds numbers']],
    ['postgres: sum(a)::float / nullif(sum(b), 0)', 'bigquery: sum(a) / sum(b)', ['nothing is divided by 0']],
  ])('%s and %s', (expected, generated, assumptions) => {
    expect(comparePair(parser, expected, generated)).toMatchObject({ kind: 'equal_if', assumptions })
  })
})
