import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { autotest, removeFolders } from './sample.js'
import {
  append,
  drifted,
  driftedSnippet,
  goodSnippet,
  read,
  smallProject,
  snippetPath,
  write,
} from './small-project.js'

afterEach(removeFolders)

const decisions = 'autotest.decisions.yaml'

describe('an entry that is marked', () => {
  it.each([
    ['a comment in its snippet', snippetPath, `-- autotest: never repair\n${driftedSnippet}`],
    ['a key of its metric', 'kb/metrics/gmv.yaml', 'repair: never # finance owns it\n'],
  ])('is never repaired: %s', async (_, path, text) => {
    const dir = smallProject(drifted)
    if (path === snippetPath) write(dir, path, text)
    else append(dir, path, text)
    const { code, out } = await autotest(dir, ['--yes', '--reporter', 'console'])
    expect(code).toBe(1)
    expect(read(dir, snippetPath)).toContain(driftedSnippet)
    const prose = out.replaceAll(/\s+/gu, ' ')
    expect(prose).toContain('is not to be repaired')
    expect(prose).toMatch(/says "(?:-- autotest: never repair|repair: never # finance owns it)"/)
    expect(out).not.toContain('unknown key')
  })
})

describe('a rejected repair', () => {
  it('is not proposed again after a revert, also in a fresh clone, until it is forgotten', async () => {
    const dir = smallProject(drifted)
    await autotest(dir, ['--no-commit'])
    expect(read(dir, snippetPath)).toBe(goodSnippet)
    const reverted = await autotest(dir, ['revert', 'last', '--reason', 'cancelled orders count'])
    expect([reverted.code, read(dir, snippetPath)]).toEqual([0, driftedSnippet])
    expect(reverted.out).toMatch(/Later runs do not propose it again: commit autotest\.decisions\.yaml/)
    expect(read(dir, decisions)).toContain('reason: cancelled orders count')

    // Another machine has no run database.
    rmSync(join(dir, 'reports'), { recursive: true })
    const again = await autotest(dir, ['--yes'])
    expect([again.code, read(dir, snippetPath)]).toEqual([1, driftedSnippet])
    expect(again.out).toMatch(/rejected on \d{4}-\d\d-\d\d by .+: cancelled orders count/)

    const listed = await autotest(dir, ['decisions'])
    const id = /^[0-9a-f]{6}/.exec(listed.out)?.[0] ?? ''
    expect(listed.out).toContain('1 rejected repair in autotest.decisions.yaml')
    expect((await autotest(dir, ['decisions', 'forget', id])).out).toContain('Forgotten: gmv: filter')
    const last = await autotest(dir, ['--no-commit'])
    expect([last.code, read(dir, snippetPath)]).toEqual([0, goodSnippet])
  })

  it('may be one that was only planned', async () => {
    const dir = smallProject(drifted)
    await autotest(dir, ['--dry-run'])
    const rejected = await autotest(dir, ['reject', 'last', '--repair', 'p1', '--reason', 'not this quarter'])
    expect(rejected.code).toBe(0)
    expect(rejected.out).toMatch(/^Rejected [0-9a-f]{6} {2}gmv: filter status = 'paid' was missing$/m)
    const { code, out } = await autotest(dir, ['--no-commit'])
    expect([code, read(dir, snippetPath)]).toEqual([1, driftedSnippet])
    expect(out).toContain('not this quarter')
  })

  it('is proposed again once its entry has changed', async () => {
    const dir = smallProject(drifted)
    await autotest(dir, ['--dry-run'])
    await autotest(dir, ['reject', 'last', '--reason', 'no'])
    write(dir, snippetPath, driftedSnippet.replace('sum(amount)', 'sum(amount + 0)'))
    expect((await autotest(dir, ['--no-commit'])).out).not.toContain('rejected on')
  })

  it('needs a reason, a run and a readable file', async () => {
    const dir = smallProject(drifted)
    await autotest(dir, ['--dry-run'])
    const noReason = await autotest(dir, ['reject', 'last'])
    expect([noReason.code, noReason.err]).toEqual([2, expect.stringContaining('reason')])
    const noRepair = await autotest(dir, ['reject', 'last', '--repair', 'p9', '--reason', 'x'])
    expect([noRepair.code, noRepair.err]).toEqual([2, expect.stringContaining('Its repairs: p1')])
    expect(existsSync(join(dir, decisions))).toBe(false)
    write(dir, decisions, 'rejected:\n  - 3\n')
    const broken = await autotest(dir, ['--yes'])
    expect([broken.code, broken.err]).toEqual([2, expect.stringContaining('autotest.decisions.yaml:2:5')])
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
  })
})
