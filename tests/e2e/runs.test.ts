import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Sqlite as Database } from '../../src/platform/sqlite.js'
import { autotest, autotestEach, type Ended, removeFolders } from './sample.js'
import { drifted, read, smallProject } from './small-project.js'

let dir = ''
let ids: string[] = []
beforeAll(async () => {
  dir = smallProject(drifted)
  expect((await autotest(dir, ['runs'])).out).toBe('No runs yet: start with autotest\n')
  const runs = [await autotest(dir, ['--no-repair']), await autotest(dir, ['--no-commit'])]
  ids = runs.map(({ out }) => /^autotest (r-\w+):/.exec(out)?.[1] ?? '')
})
afterAll(removeFolders)

const ask = async (...lines: string[]): Promise<Ended[]> =>
  autotestEach(
    dir,
    lines.map((line) => line.split(' ')),
  )

describe('autotest runs', () => {
  it('lists the latest first, with counts and what became of the repairs', async () => {
    const [listed] = await ask('runs')
    const lines = listed?.out.trim().split('\n') ?? []
    expect(lines[0]).toMatch(/^run +started \(UTC\) +passed +repaired +other +kind +engine$/)
    // A repair in the working tree is apart from what passes without it.
    expect(lines[1]).toMatch(new RegExp(`^${ids[1]} .* 1/3 +2 uncommitted +repair `))
    expect(lines[2]).toMatch(new RegExp(`^${ids[0]} .* 1/3 +2 failed +evaluate`))
  })

  it('shows one by its id, the start of it, or as the last', async () => {
    const [whole, bare, last] = await ask(
      `runs show ${ids[0]}`,
      `runs show ${ids[0]?.slice(2)}`,
      'runs show last -o shown.md',
    )
    expect(whole?.out).toContain("filter missing: status = 'paid'")
    expect(whole?.out).toContain('autotest --id gmv_id --no-repair')
    expect(bare?.out).toBe(whole?.out)
    expect(last?.out).toContain('2 cases · E2 · ')
    expect(read(dir, 'shown.md')).toContain('Repaired')
  })

  it('names a run by its distance from the last', async () => {
    const [before, previous, tooOld, wrong] = await ask(
      'runs show last~1',
      'runs show previous',
      'runs show last~7',
      'runs show last~x',
    )
    expect(before?.out).toContain(ids[0])
    expect(previous?.out).toBe(before?.out)
    expect(tooOld).toMatchObject({ code: 2, err: expect.stringContaining('no run "last~7"') })
    expect(tooOld?.err).toContain(`It has 2 runs: the oldest is ${ids[0]}.`)
    expect(wrong?.code).toBe(2)
  })

  it('compares two', async () => {
    const [diff, back] = await ask(`runs diff ${ids[0]} last`, `runs diff last ${ids[0]}`)
    expect(diff?.out).toMatch(/^ fixed +gmv_id \(repaired\), gmv_th \(repaired\)/m)
    expect(diff?.out).toMatch(/^ broken +–/m)
    expect(diff?.out).toMatch(/^ changed +knowledge [0-9a-f]{7} → [0-9a-f]{7}/m)
    expect(diff?.code).toBe(0)
    expect(back?.out).toMatch(/^ broken +gmv_id/m)
  })

  it('says which runs there are for a name that fits none, or several', async () => {
    const database = new Database(join(dir, 'reports/autotest.db'))
    const names = database.prepare<[], { id: string }>('SELECT id FROM runs ORDER BY id').all()
    database.prepare('UPDATE runs SET id = ? WHERE id = ?').run('r-ab01', names[0]?.id)
    database.prepare('UPDATE runs SET id = ? WHERE id = ?').run('r-ab02', names[1]?.id)
    database.close()
    const [none, several, file] = await ask('runs show zzzz', 'runs diff ab last', 'runs show last -o x.txt')
    expect(none).toMatchObject({
      code: 2,
      err: expect.stringMatching(/error {2}no run "zzzz" in .*\n.*latest are r-ab0/),
    })
    expect(several).toMatchObject({
      code: 2,
      err: expect.stringMatching(/error {2}"ab" matches 2 runs\n.*(r-ab01, r-ab02|r-ab02, r-ab01)/),
    })
    expect(file).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringContaining('x.txt: unknown report format'),
    })
  })
})
