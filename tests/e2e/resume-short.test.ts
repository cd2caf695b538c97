import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { lockProject } from '../../src/edit/project-lock.js'
import { openStore } from '../../src/store/store.js'
import { autotest, removeFolders } from './sample.js'
import { drifted, goodSnippet, read, smallProject, snippetPath } from './small-project.js'

afterAll(removeFolders)

/** A project of which one case names a database that is not there. */
const brokenProject = (changes = drifted): string =>
  smallProject({
    ...changes,
    'benchmarks/away.yaml': `engine: sqlite:away.sqlite
cases:
  - id: all_orders
    question: VN orders in November 2025
    expected_sql: "SELECT count(*) AS orders FROM orders WHERE market = 'VN' AND day BETWEEN '2025-11-01' AND '2025-11-30'"
`,
  })

const mend = (dir: string): void => copyFileSync(join(dir, 'shop.sqlite'), join(dir, 'away.sqlite'))

const idOf = (out: string): string => /^autotest (r-\w+):/.exec(out)?.[1] ?? ''

describe('a run that ended with 3', () => {
  it('says how to go on, and --resume asks only what broke', async () => {
    const dir = brokenProject({})
    const first = await autotest(dir, [])
    const id = idOf(first.out)
    expect(first.code).toBe(3)
    expect(first.err).toContain(
      `1 of 4 cases had errors · fix that, then rerun only those: autotest --resume ${id}`,
    )
    mend(dir)
    const resumed = await autotest(dir, ['--resume'])
    expect(resumed.out).toContain(`autotest ${id}:`)
    expect(resumed.out).toContain('resumed: 3 of 4 cases are already known')
    expect(resumed.out).toContain('total=4 passed=4')
    expect(resumed.code).toBe(0)
    const again = await autotest(dir, ['--resume'])
    expect(again.err).toContain(`nothing to resume: the last run, ${id}, is finished`)
    expect(again.err).toContain('autotest --last-failed')
    expect(again.code).toBe(2)
  })

  it('goes on as it was begun', async () => {
    const dir = brokenProject({})
    const id = idOf((await autotest(dir, [])).out)
    for (const [flags, given, how] of [
      [['--tags', 'gmv'], '--tags gmv', 'without --tags'],
      [['--id', 'gmv_id,gmv_th'], '--id gmv_id,gmv_th', 'without --id'],
      [['--no-repair'], '--no-repair', 'without --no-repair'],
      [['--dry-run'], '--dry-run', 'without --dry-run'],
      [['--last-failed'], '--last-failed', 'with its own cases'],
      [['--engine', 'sqlite:other.sqlite'], '--engine sqlite:other.sqlite', 'without --engine'],
    ] as const) {
      const resumed = await autotest(dir, ['--resume', ...flags])
      expect(resumed.err).toContain(`${given}: run ${id} was started ${how}, and continues the same way`)
      expect(resumed.code).toBe(2)
    }
    mend(dir)
    expect((await autotest(dir, ['--resume'])).code).toBe(0)
  })

  it('is gone on with by one at a time; what only measures, beside a run that repairs', async () => {
    const dir = brokenProject({})
    const id = idOf((await autotest(dir, ['--no-repair'])).out)
    mend(dir)
    const other = await openStore(join(dir, 'reports/autotest.db'), { now: () => new Date() })
    other.holdRun(id)
    const held = await autotest(dir, ['--resume'])
    expect([held.code, held.err]).toEqual([3, expect.stringContaining(`run ${id} is still running`)])
    other.close()
    const repairing = await lockProject(dir)
    expect((await autotest(dir, ['--resume'])).code).toBe(0)
    repairing.release()
  })

  it('makes the plans of a dry run again', async () => {
    const dir = brokenProject()
    const first = await autotest(dir, ['--dry-run'])
    expect([first.code, /pending=2/.test(first.out)]).toEqual([3, true])
    mend(dir)
    const resumed = await autotest(dir, ['--resume', idOf(first.out)])
    expect(resumed.out).toContain('passed=2')
    expect(resumed.out).toContain('pending=2')
    expect(resumed.code).toBe(1)
    expect((await autotest(dir, ['apply', idOf(first.out)])).code).toBe(0)
    expect(read(dir, snippetPath)).toBe(goodSnippet)
    const again = await autotest(dir, ['--resume', idOf(first.out)])
    expect(again.err).toContain(`nothing to resume: run ${idOf(first.out)} is finished`)
  })

  it('that has written repairs is told from one that can go on', async () => {
    const dir = brokenProject()
    const first = await autotest(dir, ['--no-commit'])
    expect(first.code).toBe(3)
    expect(first.err).toContain('run the remaining cases with the repaired knowledge: autotest --last-failed')
    mend(dir)
    for (const args of [['--resume'], ['--resume', idOf(first.out)]]) {
      const { code, err } = await autotest(dir, args)
      expect(err).toContain(`run ${idOf(first.out)} has changed the knowledge base since it began`)
      expect([code, err.includes('autotest --last-failed')]).toEqual([2, true])
    }
    const left = await autotest(dir, ['--last-failed'])
    expect([left.code, /total=1 passed=1/.test(left.out)]).toEqual([0, true])
  })

  it('is taken up by name only, once a later run came to its end', async () => {
    const dir = brokenProject({})
    const first = await autotest(dir, [])
    await autotest(dir, ['--tags', 'gmv'])
    mend(dir)
    const latest = await autotest(dir, ['--resume'])
    expect(latest.err).toContain(
      `Run ${idOf(first.out)} can be continued: autotest --resume ${idOf(first.out)}`,
    )
    expect(latest.code).toBe(2)
    expect((await autotest(dir, ['--resume', idOf(first.out)])).code).toBe(0)
  })
})

it('--resume takes up no run of another project in the same database', async () => {
  const [dir, other] = [brokenProject({}), smallProject()]
  const database = join(dir, 'runs.db')
  await autotest(dir, ['--db', database])
  const { code, err } = await autotest(other, ['--resume', '--db', database])
  expect(err).toContain('There is no run of this project yet')
  expect(code).toBe(2)
})
