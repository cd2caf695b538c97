import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEnginePool, type EnginePool } from '../../../src/app/compare/engine-pool.js'
import { createStructureComparer } from '../../../src/app/compare/structure-comparer.js'
import { engineKinds } from '../../../src/app/engine-registry.js'
import { compareInBulk } from '../../../src/cli/compare/bulk.js'
import { createCopyComparer } from '../../../src/compare/copies/fuzzed-copies.js'
import { createExpectedResultsCache } from '../../../src/compare/outcomes/expected-results-cache.js'
import type { Dialect } from '../../../src/enums/dialect.js'
import type { Policy } from '../../../src/enums/verdict-policy.js'
import { Sqlite as Database } from '../../../src/platform/sqlite.js'
import { loadSqlParser } from '../../../src/sql/index.js'

const dir = mkdtempSync(join(tmpdir(), 'autotest-bulk-'))
const limits = { timeoutMs: 10_000, rows: 1000, bytes: 1e6, memoryBytes: 1e9 }
let engines: EnginePool

beforeAll(() => {
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    const database = new Database(join(dir, `${name}.db`))
    database.exec(`CREATE TABLE t (id INTEGER, name TEXT); INSERT INTO t VALUES (1, '${name}'), (2, 'z')`)
    database.close()
  }
  engines = createEnginePool(engineKinds, () => ({ root: dir, concurrency: 1, memoryBytes: 1e9 }))
})

afterAll(async () => {
  await engines.close()
  rmSync(dir, { recursive: true, force: true })
})

interface Options {
  readonly engine?: string
  readonly dialect?: Dialect
  readonly policy?: Policy
}

interface Answer {
  readonly id?: unknown
  readonly line?: number
  readonly error?: string
  readonly verdict?: string
  readonly structure?: {
    verdict: string
    assumptions?: string[]
    differences: { component: string; kind: string; text: string }[]
    error?: string
  }
  readonly results?: { verdict: string; differing?: number; differences?: unknown[]; error?: string }
}

async function answersTo(lines: readonly unknown[], options: Options = {}): Promise<Answer[]> {
  const parser = await loadSqlParser()
  const answers: Answer[] = []
  async function* input(): AsyncGenerator<Uint8Array> {
    for (const line of lines) yield Buffer.from(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`)
  }
  await compareInBulk({
    input: input(),
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
      policy: options.policy ?? 'evidence',
      engine: options.engine,
      dialect: options.dialect,
    },
    write: async (text) => {
      answers.push(JSON.parse(text))
      return true
    },
    signal: new AbortController().signal,
  })
  return answers
}

async function answerTo(line: unknown, options: Options = {}): Promise<Answer> {
  const [answer] = await answersTo([line], options)
  if (answer === undefined) throw new Error('no answer')
  return answer
}

describe('two queries', () => {
  it('that differ in layout only are equal and pass', async () => {
    expect(
      await answerTo({
        id: 'x',
        expected: 'SELECT a FROM t WHERE b <> 1',
        generated: 'select t.a from t where b != 1',
      }),
    ).toEqual({
      id: 'x',
      structure: { verdict: 'equal', differences: [] },
      results: { verdict: 'skipped' },
      verdict: 'pass',
    })
  })

  it('of one session name what is taken for one table, unless rows are there to tell', async () => {
    const pair = { expected: 'SELECT a FROM orders', generated: 'SELECT a FROM prod.shop.orders' }
    expect(await answerTo(pair)).toMatchObject({
      structure: { verdict: 'equal', assumptions: ['orders is prod.shop.orders'] },
      verdict: 'pass',
    })
    const [expected_result, generated_result] = [1, 2].map((a) => ({ columns: ['a'], rows: [[a]] }))
    expect(await answerTo({ ...pair, expected_result, generated_result })).toMatchObject({
      structure: { verdict: 'equal_if' },
      verdict: 'fail',
    })
  })

  it('that differ say how, by component and in words', async () => {
    const { structure, verdict } = await answerTo({
      expected: "select sum(gmv) from orders where tz = 'local'",
      generated: 'select avg(gmv) from orders',
    })
    expect(verdict).toBe('unproven')
    expect(structure?.differences).toContainEqual({
      component: 'filters',
      kind: 'missing',
      text: "filter missing: tz = 'local'",
    })
    expect(structure?.differences.map(({ component }) => component)).toContain('aggregates')
  })

  it('are compared across dialects', async () => {
    const line = { expected: 'select `a` from t', generated: 'select "a" from t' }
    expect((await answerTo({ ...line, expected_dialect: 'mysql', generated_dialect: 'trino' })).verdict).toBe(
      'pass',
    )
  })

  it('are in the dialect of the flag where a line names none', async () => {
    const line = { expected: 'select `a` from t', generated: 'select a from t' }
    expect((await answerTo(line, { dialect: 'mysql' })).verdict).toBe('pass')
  })

  it('are told apart or not by the schema', async () => {
    const line = {
      expected: 'select name from t join u on t.id = u.id',
      generated: 'select t.name from t join u on t.id = u.id',
    }
    const schema = 'CREATE TABLE t (id INT, name TEXT); CREATE TABLE u (id INT, other TEXT)'
    expect((await answerTo({ ...line, schema })).structure?.verdict).toBe('equal')
  })

  it('with a schema that cannot be read are an error of their line', async () => {
    const answer = await answerTo({
      id: 1,
      expected: 'select 1',
      generated: 'select 1',
      schema: 'CREATE TABEL t (',
    })
    expect(answer).toMatchObject({ id: 1, line: 1, error: expect.stringContaining('schema') })
  })
})

describe('what is no query is a finding of its own', () => {
  it.each<[string, string]>([
    ['nothing', ''],
    ['blanks', ' \n\t '],
    ['a comment only', '-- all of them'],
    ['several statements', 'select 1; select 2'],
    ['no query', 'drop table t'],
    ['words', 'I cannot answer that.'],
    ['a fence', '```sql\nselect 1\n```'],
    ['an unfinished query', 'select a from'],
    ['nesting beyond the stack', `select ${'('.repeat(20_000)}1${')'.repeat(20_000)}`],
    ['a megabyte of one word', 'x'.repeat(1_000_000)],
    ['more than is compared', `select '${'x'.repeat(2_000_000)}'`],
  ])('%s', async (_name, generated) => {
    const answer = await answerTo({ expected: 'select a from t', generated })
    expect(answer.structure).toMatchObject({
      verdict: 'unparsable',
      error: expect.stringMatching(/^generated: \S/),
    })
    expect(answer.verdict).toBe('unproven')
  })

  it('a megabyte of a query is compared', async () => {
    const text = `select a from t where b = '${'x'.repeat(1_000_000)}'`
    expect((await answerTo({ expected: text, generated: `${text} ` })).structure?.verdict).toBe('equal')
    expect((await answerTo({ expected: text, generated: `${text.slice(0, -2)}y'` })).structure?.verdict).toBe(
      'different',
    )
  })

  it('a megabyte of conditions is compared', { timeout: 120_000 }, async () => {
    const conditions = Array.from({ length: 80_000 }, (_, at) => `a<>${at}`)
    const line = {
      expected: `select a from t where ${conditions.join(' and ')}`,
      generated: 'select a from t',
    }
    const answer = await answerTo(line)
    expect([answer.structure?.verdict, answer.structure?.differences.length]).toEqual(['different', 80_000])
  })

  it('it is said which side it is', async () => {
    expect((await answerTo({ expected: 'oops', generated: 'select 1' })).structure?.error).toMatch(
      /^expected: /,
    )
  })
})

describe('cells of an engine', () => {
  it('that are written alike and differ say their type', async () => {
    const instance = await DuckDBInstance.create(join(dir, 'lists.duckdb'))
    instance.closeSync()
    const line = {
      expected: 'SELECT [1] AS a',
      generated: "SELECT '[1]' AS a",
      engine: 'duckdb:lists.duckdb',
    }
    expect((await answerTo(line)).results?.differences).toMatchObject([
      { kind: 'changed', expected: [{ $type: 'INTEGER[]', text: '[1]' }], actual: ['[1]'] },
    ])
  })
})

describe('two results', () => {
  const of = (rows: unknown[][], columns = ['a']) => ({ columns, rows })

  it('are compared as multisets, and in order where the expected query orders', async () => {
    const line = { expected_result: of([[1], [2]]), generated_result: of([[2], [1]]) }
    expect(await answerTo(line)).toMatchObject({
      structure: { verdict: 'skipped' },
      results: { verdict: 'match' },
      verdict: 'pass',
    })
    expect(await answerTo({ ...line, expected: 'select a from t order by a' })).toMatchObject({
      results: { verdict: 'mismatch', differences: [{ kind: 'order' }] },
      verdict: 'fail',
    })
  })

  it('are compared in order where the expected query orders in a way that nobody reads, which is said', async () => {
    const line = { expected_result: of([[1], [2]]), generated_result: of([[2], [1]]) }
    const { results } = await answerTo({ ...line, expected: 'SELECT a FROM t WHERE b = {{x}} ORDER BY a' })
    expect(results).toMatchObject({ verdict: 'mismatch', differences: [{ kind: 'order' }] })
    expect(JSON.stringify(results)).toContain('cannot be parsed: rows are compared in order')
  })

  it('give back the cells that differ as they came', async () => {
    const { results } = await answerTo({
      expected_result: of([['x', { $decimal: '1.50' }]], ['a', 'b']),
      generated_result: of([['x', { $bigint: '9007199254740993' }]], ['a', 'b']),
    })
    expect(results).toEqual({
      verdict: 'mismatch',
      differing: 1,
      differences: [
        {
          kind: 'changed',
          expected: ['x', { $decimal: '1.50' }],
          actual: ['x', { $bigint: '9007199254740993' }],
          cells: [1],
        },
      ],
    })
  })

  it('of which one is cut, or a page of several, never match', async () => {
    const whole = { columns: ['a'], rows: [[1]] }
    const answers = await answersTo([
      { expected_result: whole, generated_result: { ...whole, truncated: true } },
      { expected_result: { ...whole, next: '/2' }, generated_result: { ...whole, next: '/2' } },
      { expected_result: whole, generated_result: { ...whole, truncated: false, next: null, error: null } },
    ])
    expect(answers.map(({ verdict, results }) => [verdict, results?.verdict, results?.error])).toEqual([
      ['fail', 'error', 'incomplete: generated_result'],
      ['error', 'error', 'incomplete: expected_result and generated_result'],
      ['pass', 'match', undefined],
    ])
  })

  it('with NaN and infinities match themselves only', async () => {
    const cells = ['NaN', 'Infinity', '-Infinity'].map((text) => ({ $decimal: text }))
    for (const [at, left] of cells.entries()) {
      for (const [other, right] of cells.entries()) {
        const { results } = await answerTo({ expected_result: of([[left]]), generated_result: of([[right]]) })
        expect(results?.verdict).toBe(at === other ? 'match' : 'mismatch')
      }
    }
  })

  it('of equal column names go by position, of no columns by their number of rows', async () => {
    const twice = (row: number[]) => of([row], ['a', 'a'])
    expect(
      (await answerTo({ expected_result: twice([1, 2]), generated_result: twice([1, 2]) })).verdict,
    ).toBe('pass')
    expect(
      (await answerTo({ expected_result: of([[]], []), generated_result: of([[], []], []) })).verdict,
    ).toBe('fail')
  })

  it('of ten thousand columns are compared', async () => {
    const columns = Array.from({ length: 10_000 }, (_, at) => `c${at}`)
    const wide = (last: number) => of([columns.map((_, at) => (at === 9999 ? last : at))], columns)
    expect((await answerTo({ expected_result: wide(1), generated_result: wide(1) })).verdict).toBe('pass')
    expect((await answerTo({ expected_result: wide(1), generated_result: wide(2) })).results?.differing).toBe(
      1,
    )
  })
})

describe('on a database', () => {
  const engine = 'sqlite:a.db'

  it('both queries run, and its tables tell which columns there are', async () => {
    const line = {
      expected: 'select name from t where id = 1',
      generated: 'select t.name from t where t.id = 1',
    }
    expect(await answerTo(line, { engine })).toMatchObject({
      structure: { verdict: 'equal' },
      results: { verdict: 'match' },
      verdict: 'pass',
    })
  })

  it('queries that happen to agree on it are told apart by its copies', async () => {
    const line = { expected: 'select count(*) from t', generated: 'select 2' }
    const answer = await answerTo(line, { engine })
    expect(answer).toMatchObject({ structure: { verdict: 'different' }, results: { verdict: 'mismatch' } })
    expect(answer.verdict).toBe('fail')
  })

  it('what a pass takes is up to the policy', async () => {
    const line = { expected: 'SELECT id FROM t WHERE id > 9', generated: 'SELECT id + 0 FROM t WHERE id > 9' }
    const verdictUnder = async (policy: Policy) =>
      (await answerTo(line, { engine: `sqlite:${join(dir, 'a.db')}`, policy })).verdict
    expect([
      await verdictUnder('evidence'),
      await verdictUnder('results'),
      await verdictUnder('both'),
    ]).toEqual(['unproven', 'pass', 'fail'])
  })

  it('a line may name another one', async () => {
    const line = { expected: 'select min(name) from t', generated: "select 'b'" }
    expect((await answerTo(line, { engine })).results?.verdict).toBe('mismatch')
    expect((await answerTo({ ...line, engine: 'sqlite:b.db' }, { engine })).results?.verdict).toBe('match')
  })

  it('a query that fails is an error that says whose', async () => {
    const wrong = 'select nothing_such from t'
    expect(await answerTo({ expected: 'select id from t', generated: wrong }, { engine })).toMatchObject({
      results: { verdict: 'error', error: expect.stringMatching(/^generated: .*nothing_such/) },
      verdict: 'fail',
    })
    expect(await answerTo({ expected: wrong, generated: 'select id from t' }, { engine })).toMatchObject({
      results: { verdict: 'error', error: expect.stringMatching(/^expected: /) },
      verdict: 'error',
    })
  })

  it('more of them than are kept open answer in order', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const lines = [...names, ...names].map((name, id) => ({
      id,
      expected: `select '${name}'`,
      generated: 'select min(name) from t',
      engine: `sqlite:${name}.db`,
    }))
    const answers = await answersTo(lines)
    expect(answers.map(({ id, results }) => [id, results?.verdict])).toEqual(
      lines.map(({ id }) => [id, 'match']),
    )
  })

  it('that is not there is an error of its line, and the others go on', async () => {
    const line = { expected: 'select 1', generated: 'select 1' }
    const answers = await answersTo([
      { ...line, engine: 'sqlite:none.db' },
      { ...line, engine: 'oracle:x' },
      line,
    ])
    expect(answers).toMatchObject([
      { line: 1, error: expect.stringContaining('none.db') },
      { line: 2, error: expect.stringContaining('oracle') },
      { verdict: 'pass' },
    ])
  })
})

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
