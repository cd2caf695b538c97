import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { autotest, autotestEach, removeFolders, scratchFolder } from './sample.js'
import { benchmarkPath, benchmarkText, drifted, smallProject, write } from './small-project.js'

let dir = ''
beforeAll(() => {
  dir = smallProject()
})
afterAll(removeFolders)

const selections: [string, string[]][] = [
  ['', ['gmv_id', 'gmv_th', 'orders_id']],
  ['--tags orders', ['orders_id']],
  ['--tags gmv,orders', ['gmv_id', 'gmv_th', 'orders_id']],
  ['--tags gmv --tags orders', ['gmv_id', 'gmv_th', 'orders_id']],
  ['--id gmv_th --id orders_id', ['gmv_th', 'orders_id']],
  ['--id gmv_th orders_id', ['gmv_th', 'orders_id']],
  ['--id gmv_th --tags gmv', ['gmv_th']],
  ['--benchmark benchmarks/*.yaml', ['gmv_id', 'gmv_th', 'orders_id']],
]

const misses: [string, string, string][] = [
  ['--tags order', '--tags order', 'did you mean `orders`? tags here: gmv, orders'],
  ['--tags zebra', '--tags zebra', 'tags here: gmv, orders'],
  ['--id gmv_di', '--id gmv_di', 'did you mean `gmv_id`?'],
  ['--id gmv_id --id zebra', '--id zebra', 'ids here: gmv_id, gmv_th, orders_id'],
  ['--id gmv_id --tags orders', '--id gmv_id --tags orders', 'tags here'],
]

describe('which cases are asked', () => {
  it('is said by filters, any of the tags, each of the ids, and --list shows them', async () => {
    const lines = selections.map(([line]) => ['--list', ...line.split(' ').filter(Boolean)])
    const answers = await autotestEach(dir, lines)
    const ids = answers.map(({ out }) =>
      out.split('\n').flatMap((line) => /^(\w+) {2}/.exec(line)?.[1] ?? []),
    )
    expect(ids).toEqual(selections.map(([, expected]) => expected))
    expect(answers.map(({ code }) => code)).toEqual(selections.map(() => 0))
  })

  it('is never green where no case matches: exit 5, and what there is', async () => {
    const answers = await autotestEach(
      dir,
      misses.map(([line]) => line.split(' ')),
    )
    for (const [at, [, what, hint]] of misses.entries()) {
      expect(answers[at]).toMatchObject({ code: 5, out: '' })
      expect(answers[at]?.err).toContain(`error  nothing matched: ${what}`)
      expect(answers[at]?.err).toContain(hint)
    }
  })
})

describe('--last-failed', () => {
  it('asks what was not green in the last run, and says where there is nothing of the kind', async () => {
    const project = smallProject(drifted)
    expect(await autotest(project, ['--last-failed'])).toMatchObject({
      code: 5,
      err: expect.stringContaining('nothing matched: --last-failed, but there is no earlier run'),
    })
    await autotest(project, ['--no-repair'])
    const again = await autotest(project, ['--last-failed', '--no-repair'])
    expect(again.out).toContain('2 cases')
    expect(again.code).toBe(1)
    await autotest(project, ['--no-commit'])
    expect(await autotest(project, ['--last-failed'])).toMatchObject({
      code: 5,
      err: expect.stringContaining('nothing failed in r-'),
    })
  })
})

describe('where the project is', () => {
  it('is found upwards from a folder below it; paths on the command line stay relative to that folder', async () => {
    mkdirSync(join(dir, 'deep/er'), { recursive: true })
    const { code, out } = await autotest(join(dir, 'deep/er'), ['--tags', 'orders', '-o', 'here.json'])
    expect(out).toContain('total=1 passed=1')
    expect(code).toBe(0)
    expect((await autotest(join(dir, 'deep'), ['runs', 'show', 'last', '-o', 'er/there.md'])).code).toBe(0)
  })

  it('may hold spaces and letters of any script', async () => {
    const place = join(scratchFolder(), 'My Ünïcode 项目 (1)')
    const project = smallProject(
      { [benchmarkPath]: null, 'benchmarks/fälle & more.yaml': benchmarkText, ...drifted },
      place,
    )
    const { code, out } = await autotest(project, ['--no-commit', '-o', 'mein bericht.md'])
    expect(out).toContain('total=3 passed=1 repaired=2')
    expect(code).toBe(0)
  })

  it('needs no configuration file: the folders have defaults, the database comes from a flag', async () => {
    const project = smallProject({ 'autotest.config.yaml': null })
    const { code, out } = await autotest(project, ['--engine', 'sqlite:shop.sqlite'])
    expect(out).toContain('total=3 passed=3')
    expect(code).toBe(0)
    const without = await autotest(project, [])
    expect(without.err).toContain('no engine is configured')
    expect(without.out).toContain('unproven=3')
    expect(without.code).toBe(1)
  })

  it('is missed in an empty folder, which stays empty', async () => {
    const { code, err } = await autotest(scratchFolder(), [])
    expect(err).toMatch(
      /error {2}\S+ is not a project: it has neither autotest\.config\.yaml nor benchmarks\//,
    )
    expect(err).toMatch(/--benchmark.*`autotest demo`/)
    expect(code).toBe(2)
  })
})

it('the plain form of a benchmark loads: cases with id, question, expected_sql and tags', async () => {
  const project = smallProject({ [benchmarkPath]: null })
  write(
    project,
    'plain.yaml',
    `cases: [{id: one, question: ID orders in November 2025, expected_sql: "SELECT count(*) FROM orders WHERE market = 'ID' AND day BETWEEN '2025-11-01' AND '2025-11-30'", tags: [a]}]\n`,
  )
  const { code, out } = await autotest(project, ['--benchmark', 'plain.yaml'])
  expect(out).toContain('total=1 passed=1')
  expect(code).toBe(0)
})
