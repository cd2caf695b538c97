import { describe, expect, it } from 'vitest'
import { type DialectSources, queryDialects } from '../../src/compare/query-dialects.js'

const none: DialectSources = { expected: undefined, generated: undefined, both: undefined, engine: undefined }

describe('dialects of two compared queries', () => {
  it.each<[string, Partial<DialectSources>, string, string]>([
    ['nothing is known', {}, 'ansi', 'ansi'],
    [
      'each has its own',
      { expected: 'mysql', generated: 'trino', both: 'sqlite', engine: 'duckdb' },
      'mysql',
      'trino',
    ],
    [
      'one has its own, one is given for both',
      { generated: 'trino', both: 'mysql', engine: 'duckdb' },
      'mysql',
      'trino',
    ],
    ['one has its own, and there is an engine', { expected: 'mysql', engine: 'duckdb' }, 'mysql', 'duckdb'],
    ['only the expected one is known', { expected: 'mysql' }, 'mysql', 'mysql'],
    ['only the generated one is known', { generated: 'trino' }, 'trino', 'trino'],
    ['only the engine is known', { engine: 'duckdb' }, 'duckdb', 'duckdb'],
  ])('%s', (_, known, expected, generated) => {
    expect(queryDialects({ ...none, ...known })).toEqual({ expected, generated })
  })
})
