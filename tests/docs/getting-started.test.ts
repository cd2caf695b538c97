import { afterAll, describe, expect, it } from 'vitest'
import { autotest, removeFolders, scratchFolder } from '../e2e/sample.js'
import { gitRepository, read, write } from '../e2e/small-project.js'
import { pageText, shownFile } from './page.js'

const page = pageText('docs/getting-started.md')
const names = ['config', 'fixture', 'benchmark', 'metric', 'snippet']

afterAll(removeFolders)

describe('docs/getting-started.md', () => {
  it('shows a project that passes, and repairs a line that is deleted as the page says', async () => {
    const dir = scratchFolder()
    for (const { path, text } of names.map((name) => shownFile(page, name))) write(dir, path, text)
    const git = gitRepository(dir)
    const check = await autotest(dir, ['kb', 'check'])
    expect(check.code, check.out + check.err).toBe(0)
    const passing = await autotest(dir, [])
    expect(passing.out).toContain('passed=2')
    expect(passing.code, passing.err).toBe(0)

    const { path, text } = shownFile(page, 'snippet')
    const broken = text.replace('WHERE region = {{ market }}\n  AND day', 'WHERE day')
    expect(broken).not.toBe(text)
    write(dir, path, broken)
    git('commit', '--quiet', '--all', '--message=shorter')
    const repaired = await autotest(dir, ['--yes'])
    expect(repaired.out).toContain('repaired=2')
    expect(repaired.code, repaired.out).toBe(0)
    expect(read(dir, path)).toBe(text)
  })
})
