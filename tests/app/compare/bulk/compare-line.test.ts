import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Policy } from '../../../../src/enums/verdict-policy.js'
import { answersTo, answerTo, dir, withDatabases } from './answers-to-lines.js'

withDatabases()

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
    const conditions = Array.from({ length: 40_000 }, (_, at) => `a_long_column<>${at}`)
    const line = {
      expected: `select a_long_column from t where ${conditions.join(' and ')}`,
      generated: 'select a_long_column from t',
    }
    const answer = await answerTo(line)
    expect([answer.structure?.verdict, answer.structure?.differences.length]).toEqual(['different', 40_000])
  })

  it('it is said which side it is', async () => {
    expect((await answerTo({ expected: 'oops', generated: 'select 1' })).structure?.error).toMatch(
      /^expected: /,
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
