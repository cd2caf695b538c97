import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { autotest, removeFolders } from './sample.js'
import {
  drifted,
  driftedSnippet,
  gitRepository,
  goodSnippet,
  read,
  smallProject,
  snippetPath,
  write,
} from './small-project.js'

let dir = ''
beforeAll(async () => {
  dir = smallProject()
  gitRepository(dir)
  for (let i = 0; i < 3; i++) await autotest(dir, ['--no-repair'])
  write(dir, snippetPath, driftedSnippet)
  await autotest(dir, ['--no-repair'])
  gitRepository(dir)
  await autotest(dir, ['--yes'])
  await autotest(dir, ['--no-repair'])
})
afterAll(removeFolders)

describe('autotest why', () => {
  it('tells what became of a case run by run, what changed in between, and its repair down to the commit', async () => {
    const { code, out } = await autotest(dir, ['why', 'gmv_id'])
    expect(code).toBe(0)
    const told = out
      .split('\n')
      .flatMap((line) => /^. r-\w+ .*(passed|failed|repaired)/.exec(line)?.[1] ?? [])
    expect(told).toEqual(['passed', 'repaired', 'failed', 'passed'])
    expect(out).toContain('gmv_id   ID GMV in November 2025')
    expect(out).toMatch(/passed {3}same as the previous 2 runs, since r-\w+/)
    expect(out).toMatch(/structure {7}filter missing: status = 'paid'/)
    expect(out).toMatch(/repair p1 .*wrong definition, 2 cases, E2\): accepted/)
    expect(out).toMatch(/edits {11}kb\/snippets\/gmv\.sql \+1 -0/)
    expect(out).toMatch(/commit {10}[0-9a-f]{12}/)
    expect(out).toMatch(/changed {9}knowledge \(\w{7} → \w{7}\) since r-/)
  })

  it('of a case that nobody asked names the nearest one', async () => {
    const { code, err } = await autotest(dir, ['why', 'gmv_di'])
    expect(err).toBe('error  no run has a case "gmv_di"\n       did you mean gmv_id?\n')
    expect(code).toBe(2)
    expect((await autotest(smallProject(), ['why', 'gmv_id'])).err).toContain('No runs yet')
  })
})

describe('the lineage of a run', () => {
  it('goes from cases to the commit in runs show', async () => {
    const runs = await autotest(dir, ['runs'])
    const committed = /^(r-\w+) .*committed/m.exec(runs.out)?.[1] ?? ''
    const { out } = await autotest(dir, ['runs', 'show', committed])
    expect(out).toMatch(/Lineage\n {2}p1 +gmv_id, gmv_th → kb\/snippets\/gmv\.sql → E2 → commit [0-9a-f]{12}/)
  })
})

describe('autotest revert --repair', () => {
  const orders = 'kb/metrics/orders.yaml'
  const twoFaults = () => {
    const project = smallProject(drifted)
    write(project, orders, read(project, orders).replace('aliases: [orders]', 'aliases: [sold]'))
    return project
  }

  it('puts back one repair and leaves the others', async () => {
    const project = twoFaults()
    const before = read(project, orders)
    await autotest(project, ['--no-commit'])
    const shown = await autotest(project, ['runs', 'show', 'last'])
    const id = /^ {2}(p\d+) .*→ kb\/metrics\/orders\.yaml/m.exec(shown.out)?.[1] ?? ''
    const reverted = await autotest(project, ['revert', 'last', '--repair', id])
    expect(reverted.out).toContain(orders)
    expect([read(project, orders), read(project, snippetPath)]).toEqual([before, goodSnippet])
    const again = await autotest(project, ['revert', 'last', '--repair', id])
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('is already reverted')])
    await autotest(project, ['revert', 'last'])
    expect([read(project, orders), read(project, snippetPath)]).toEqual([before, driftedSnippet])
  })

  it('of an id that is none names those there are', async () => {
    const project = twoFaults()
    await autotest(project, ['--no-commit'])
    const { code, err } = await autotest(project, ['revert', 'last', '--repair', 'p99'])
    expect(err).toMatch(/has no repair "p99"\n {7}Its repairs: p\d+, p\d+/)
    expect(code).toBe(2)
  })
})
