import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { autotest, removeFolders } from './sample.js'
import { goodSnippet, smallProject, snippetPath, userFiles } from './small-project.js'

afterAll(removeFolders)

describe('autotest kb check', () => {
  it('is content with a clean knowledge base and touches nothing', async () => {
    const dir = smallProject()
    const before = userFiles(dir)
    const { code, out } = await autotest(dir, ['kb', 'check'])
    expect(out).toBe(
      'autotest kb check  2 metrics · 2 snippets · 0 notes · sqlite:shop.sqlite\n\nno problems found\n',
    )
    expect(code).toBe(0)
    expect(userFiles(dir)).toEqual(before)
  })

  it('names each fault with its place, for people and for programs: exit 1', async () => {
    const dir = smallProject({ [snippetPath]: goodSnippet.replace('amount', 'amuont') })
    const { code, out } = await autotest(dir, ['kb', 'check', '-o', 'kb.json'])
    expect(out).toContain(`error    ${snippetPath}:1:1  does not run: no such column: amuont`)
    expect(out).toContain('1 error   0 warnings')
    expect(code).toBe(1)
    const report = JSON.parse(readFileSync(join(dir, 'kb.json'), 'utf8'))
    expect(report.findings).toMatchObject([{ rule: 'sql_fails', path: snippetPath, severity: 'error' }])
  })

  it('--data names texts that no row holds, those of parameters too', async () => {
    const dir = smallProject({
      [snippetPath]: goodSnippet.replace("'paid'", "'payed'"),
      'kb/metrics/orders.yaml':
        'metric: orders\naliases: [orders]\nsnippet: orders.sql\nparameters:\n  market: { type: enum, values: { ID: [], XX: [] } }\n  period: { type: date_range }\n',
    })
    const { code, out } = await autotest(dir, ['kb', 'check', '--data'])
    expect(out).toContain(`warning  ${snippetPath}:4:7  'payed' does not occur in orders.status`)
    expect(out).toMatch(
      /warning {2}kb\/metrics\/orders\.yaml:\d:\d+ {2}value XX of `market` does not occur in orders\.market/,
    )
    expect(out).toContain('0 errors   2 warnings')
    expect(code).toBe(0)
    expect((await autotest(dir, ['kb', 'check'])).out).toContain('no problems found')
  })

  it('warns without failing, and without an engine only parses', async () => {
    const dir = smallProject({
      'autotest.config.yaml': 'kb: kb\n',
      'kb/snippets/old.sql': 'SELECT 1\n',
    })
    const { code, out, err } = await autotest(dir, ['kb', 'check'])
    expect(err).toContain('note  no engine is configured: queries are parsed, but not checked with EXPLAIN')
    expect(out).toContain('warning  kb/snippets/old.sql:1:1  no metric uses this snippet')
    expect(code).toBe(0)
  })

  it('names no agent where the folder is missing: none is asked', async () => {
    const { err } = await autotest(smallProject(), ['kb', 'check', '--kb', 'nowhere'])
    expect(err).toMatch(/missing or empty\n *Set `kb` in autotest\.config\.yaml, or give --kb/)
  })

  it.each([
    [['kb'], 'autotest kb needs what to do: check'],
    [['kb', 'chekc'], 'did you mean autotest kb check?'],
    [['kb', 'check', '--kb', 'nowhere'], 'the knowledge base nowhere is missing or empty'],
    [['kb', 'check', '-o', 'kb.txt'], 'kb.txt: a check can only be written as .json'],
    [['kb', 'check', '--tags', 'a'], 'autotest kb check has no flag --tags'],
  ])('%j is refused: %s', async (args, message) => {
    const { code, err } = await autotest(smallProject(), args)
    expect(err).toContain(message)
    expect(code).toBe(2)
  })
})
