import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { projectHistory } from '../../../src/app/project/git-history.js'
import { loadBenchmark } from '../../../src/benchmark/load.js'
import { git, isolatedFolders, repository, write } from '../../git/repository.js'

const made = isolatedFolders()

interface Case {
  readonly id?: string
  readonly question?: string
  readonly sql?: string
  readonly tag?: string
}

const caseText = ({ id = 'a', question = 'How many?', sql = 'SELECT 1', tag = 'x' }: Case): string =>
  `  - id: ${id}\n    question: ${question}\n    expected_sql: ${sql}\n    tags: [${tag}]\n`
const benchmark = (...cases: readonly Case[]): string => `cases:\n${cases.map(caseText).join('')}`

const path = 'benchmarks/b.yaml'

/** A repository whose benchmark was committed in these states, one after the other; what case `id` expected before. */
async function queriesOf(
  states: readonly Readonly<Record<string, string | null>>[],
  id = 'a',
  runs = (_sql: string): boolean => true,
): Promise<string[]> {
  const [first = {}, ...others] = states
  const root = made(
    repository(Object.fromEntries(Object.entries(first).map(([file, text]) => [file, text ?? '']))),
  )
  for (const state of others) {
    for (const [file, text] of Object.entries(state))
      if (text === null) rmSync(join(root, file))
      else write(root, file, text)
    git(root, 'add', '--all')
    git(root, 'commit', '--quiet', '--message', 'change')
  }
  const { cases } = await loadBenchmark({ paths: ['benchmarks'], cwd: root })
  const found = cases.find((each) => each.id === id)
  if (found === undefined) throw new Error(`there is no case ${id}`)
  const history = projectHistory(root, ['kb'], cases, (_case, sql) => Promise.resolve(runs(sql)), onLimit)
  return (await history.queriesOf(found)).map(({ sql }) => sql)
}

/** No history of these tests is longer than what is read. */
const onLimit = (text: string): void => {
  throw new Error(text)
}

const one = { sql: 'SELECT 1' }
const two = { sql: 'SELECT 2' }

describe('what a case expected before is found', () => {
  it('behind any number of changes of questions, tags and comments', async () => {
    const words = Array.from({ length: 70 }, (_, index) => ({
      [path]: `${benchmark(two, { id: 'b', question: `Why ${index}?`, tag: `t${index}` })}# ${index}\n`,
    }))
    expect(await queriesOf([{ [path]: benchmark(one) }, { [path]: benchmark(two) }, ...words])).toEqual([
      'SELECT 1',
    ])
  })

  it('where its file was renamed, and where it moved to another one', async () => {
    const renamed = { [path]: null, 'benchmarks/c.yaml': benchmark(two) }
    expect(await queriesOf([{ [path]: benchmark(one) }, renamed])).toEqual(['SELECT 1'])
    const moved = { [path]: benchmark({ id: 'b' }), 'benchmarks/c.yaml': benchmark(two) }
    expect(await queriesOf([{ [path]: benchmark(one, { id: 'b' }) }, moved])).toEqual(['SELECT 1'])
  })

  it('where it has another id now and asks the same, or another question under the same id', async () => {
    expect(
      await queriesOf([{ [path]: benchmark(one) }, { [path]: benchmark({ ...two, id: 'z' }) }], 'z'),
    ).toEqual(['SELECT 1'])
    expect(
      await queriesOf([{ [path]: benchmark(one) }, { [path]: benchmark({ ...two, question: 'How much?' }) }]),
    ).toEqual(['SELECT 1'])
  })

  it('newest first, each once, and no further than one that cannot be run any more', async () => {
    const states = ['4', '3', '3', 'gone', '5', '2'].map((sql) => ({
      [path]: benchmark({ sql: `SELECT ${sql}` }),
    }))
    expect(await queriesOf(states.filter((_, index) => index !== 2))).toEqual([
      'SELECT 5',
      'SELECT gone',
      'SELECT 3',
    ])
    expect(
      await queriesOf(states.slice(0, 2).concat(states.slice(3)), 'a', (sql) => !sql.includes('gone')),
    ).toEqual(['SELECT 5'])
  })

  it('not in a benchmark that could not be read then', async () => {
    const broken = `${benchmark(one)}  - nothing: of use\n`
    expect(await queriesOf([{ [path]: broken }, { [path]: benchmark(two) }])).toEqual([])
  })
})

describe('cases whose expected query a change gave another text or took away', () => {
  const changedBy = async (states: readonly Readonly<Record<string, string | null>>[]) => {
    const [first = {}, ...others] = states
    const root = made(
      repository(Object.fromEntries(Object.entries(first).map(([file, text]) => [file, text ?? '']))),
    )
    const commits: string[] = []
    for (const state of others) {
      for (const [file, text] of Object.entries(state))
        if (text === null) rmSync(join(root, file))
        else write(root, file, text)
      git(root, 'add', '--all')
      git(root, 'commit', '--quiet', '--message', 'change')
      commits.push(`commit ${git(root, 'rev-parse', '--short', 'HEAD').trim()}`)
    }
    const { cases } = await loadBenchmark({ paths: ['benchmarks'], cwd: root })
    const history = projectHistory(root, ['kb'], cases, () => Promise.resolve(true), onLimit)
    const changed: string[][] = []
    for (const by of commits) {
      const found = await history.casesChangedBy(by)
      changed.push(found.map(({ id, expectedSql }) => `${id}: ${expectedSql}`))
    }
    return changed
  }
  const other = { id: 'b', question: 'Why?', sql: 'SELECT 9' }

  it('are those that it changed, not those that others did', async () => {
    expect(
      await changedBy([
        { [path]: benchmark(one, other) },
        { [path]: benchmark(two, other) },
        { [path]: benchmark(two, { ...other, tag: 'z', sql: 'SELECT 8' }) },
        { [path]: benchmark(two) },
      ]),
    ).toEqual([['a: SELECT 1'], ['b: SELECT 9'], ['b: SELECT 8']])
  })

  it('are found however often the benchmark was changed since', async () => {
    const since = Array.from({ length: 65 }, (_, index) => ({
      [path]: benchmark(two, { ...other, sql: `SELECT 1${index}` }),
    }))
    const [first] = await changedBy([
      { [path]: benchmark(one, other) },
      { [path]: benchmark(two, other) },
      ...since,
    ])
    expect(first).toEqual(['a: SELECT 1'])
  })

  it('are none where cases only came, moved or were put back', async () => {
    expect(
      await changedBy([
        { [path]: benchmark(one) },
        { [path]: benchmark(one, other) },
        { [path]: benchmark(one), 'benchmarks/c.yaml': benchmark(other) },
        { [path]: benchmark({ ...one, tag: 'q' }) },
      ]),
    ).toEqual([[], [], []])
  })
})
