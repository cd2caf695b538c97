import { describe, expect, it } from 'vitest'
import { compareInBulk } from '../../../../src/app/compare/bulk/compare-in-bulk.js'
import { createStructureComparer } from '../../../../src/app/compare/structure-comparer.js'
import { createCopyComparer } from '../../../../src/compare/copies/compare-on-copies.js'
import { createExpectedResultsCache } from '../../../../src/compare/outcomes/expected-results-cache.js'
import { loadSqlParser } from '../../../../src/sql/index.js'
import { answersTo, engines, limits, withDatabases } from './answers-to-lines.js'

withDatabases()

describe('many lines', () => {
  it('are answered in order, wrong ones in their place with the number of the line', async () => {
    const good = { expected: 'select 1', generated: 'select 1' }
    const answers = await answersTo([{ ...good, id: 'a' }, '', 'oops', { ...good, id: 'b' }, { id: 'c' }])
    expect(answers).toMatchObject([
      { id: 'a', verdict: 'pass' },
      { line: 3, error: expect.stringContaining('not JSON') },
      { id: 'b', verdict: 'pass' },
      { id: 'c', line: 5, error: expect.stringContaining('missing') },
    ])
  })

  it('are read no further when nobody reads the answers', async () => {
    let read = 0
    const parser = await loadSqlParser()
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        read++
        yield Buffer.from('{"expected":"select 1","generated":"select 1"}\n')
      }
    }
    let written = 0
    await compareInBulk({
      input: endless(),
      context: {
        parser,
        structure: createStructureComparer(parser),
        engines,
        expectedResults: createExpectedResultsCache(),
        copies: createCopyComparer({
          count: 3,
          seed: 1,
          source: async () => undefined,
          loadParser: loadSqlParser,
        }),
        limits,
        tolerance: 1e-4,
        policy: 'evidence',
        engine: undefined,
        dialect: undefined,
      },
      write: async () => ++written < 10,
      signal: new AbortController().signal,
    })
    expect([written, read < 20]).toEqual([10, true])
  })
})
