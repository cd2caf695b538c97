import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkOnDisk, checkPath, knowledgeExtensions } from '../../src/edit/allowed-path.js'
import { needsShared } from '../needs.js'

const roots = ['kb', 'agents']
const refusal = expect.objectContaining({ code: 'path_refused' })

function check(path: unknown): string {
  return checkPath(path, roots, knowledgeExtensions)
}

describe('a path is refused, never normalised', () => {
  it.each<[string, unknown]>([
    ['empty', ''],
    ['a parent', 'kb/../x.sql'],
    ['a dot', 'kb/./x.sql'],
    ['absolute', '/kb/x.sql'],
    ['home', '~/kb/x.sql'],
    ['a home inside', 'kb/~x.sql'],
    ['a drive', 'C:/kb/x.sql'],
    ['a backslash', 'kb\\x.sql'],
    ['NUL', 'kb/x\0.sql'],
    ['a line end', 'kb/x\n.sql'],
    ['text that runs backwards', 'kb/x\u202e.sql'],
    ['a glob', 'kb/*.sql'],
    ['a dash', 'kb/-x.sql'],
    ['an ending space', 'kb/x /y.sql'],
    ['decomposed accents', 'kb/cafe\u0301.sql'],
    ['full-width letters', 'kb/ｘ.sql'],
    ['a repository', 'kb/.git/x.sql'],
    ['a hidden file', 'kb/.x.sql'],
    ['a device', 'kb/NUL.sql'],
    ['a device and a blank', 'kb/con .sql'],
    ['a device that reads', 'kb/conin$.sql'],
    ['a variable', 'kb/$HOME.sql'],
    ['a command', 'kb/`id`.sql'],
    ['two commands', 'kb/x;id.sql'],
    ['a filler', 'kb/x\u3164.sql'],
    ['a selector of variants', 'kb/x\ufe0f.sql'],
    ['what looks like a backslash', 'kb/x\u2216y.sql'],
    ['what looks like a colon', 'kb/c\ua789y.sql'],
    ['a Cyrillic letter among Latin ones', 'kb/d\u0430u.sql'],
    ['a Greek letter among Latin ones', 'kb/m\u03bfnth/x.sql'],
    ['more than sixteen folders', `kb/${'a/'.repeat(16)}x.sql`],
    ['settings further down', 'kb/autotest.config.yaml'],
    ['orders to coding agents', 'kb/notes/AGENTS.md'],
    ['a folder', 'kb/'],
    ['another extension', 'kb/x.js'],
    ['an extension in other letters', 'kb/x.SQL'],
    ['outside the roots', 'data/x.sql'],
    ['a root that starts alike', 'kb2/x.sql'],
    ['a number', 7],
    ['a list', ['kb/x.sql']],
  ])('%s', (_name, path) => {
    expect(() => check(path)).toThrowError(refusal)
  })

  it.each([
    'benchmarks/x.yaml',
    'Benchmarks/x.yaml',
    'autotest.config.yaml',
    'pnpm-lock.yaml',
    'azure-pipelines.yml',
    '.github/workflows/ci.yml',
    'node_modules/x/y.md',
  ])('%s, even where the whole project is allowed', (path) => {
    expect(() => checkPath(path, ['.'], knowledgeExtensions)).toThrowError(refusal)
  })

  it.each([
    'kb/x.sql',
    'kb/metrics/métriques mensuelles.yaml',
    'agents/a/b/c.pym',
    'kb/日次.md',
    'kb/a&b (1), c.sql',
    "kb/the team's 100%.md",
    'kb/console.sql',
    'kb/com10.sql',
    'kb/emoji 😀.md',
    'kb/дневной отчёт.sql',
    'kb/отчёт_mrr.sql',
    `kb/${'a/'.repeat(15)}x.sql`,
  ])('%s is allowed and comes back as it is', (path) => {
    expect(check(path)).toBe(path)
  })

  it('roots may end with a slash or start with a dot', () => {
    expect(checkPath('kb/x.sql', ['./kb/'], knowledgeExtensions)).toBe('kb/x.sql')
  })
})

describe('what lies on the disk', () => {
  let root = ''
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'autotest-path-'))
    mkdirSync(join(root, 'kb/metrics'), { recursive: true })
    mkdirSync(join(root, '.git'))
    writeFileSync(join(root, 'kb/ok.yml'), 'a: 1\n')
  })
  afterEach(() => rmSync(root, { recursive: true }))

  it.each(['kb/ok.yml', 'kb/new.yml', 'kb/new/folder/new.yml'])('%s may be written', async (path) => {
    await expect(checkOnDisk(root, path)).resolves.toBeUndefined()
  })

  it.each<[string, string, () => void]>([
    ['a link to a file', 'kb/link.yml', () => symlinkSync('ok.yml', join(root, 'kb/link.yml'))],
    [
      'a link that leads nowhere',
      'kb/link.yml',
      () => symlinkSync(join(root, 'gone'), join(root, 'kb/link.yml')),
    ],
    ['a linked folder', 'kb/linked/x.yml', () => symlinkSync('/tmp', join(root, 'kb/linked'))],
    ['a linked root', 'agents/x.yml', () => symlinkSync('kb', join(root, 'agents'))],
    [
      'a file with two names',
      'kb/ok.yml',
      () => linkSync(join(root, 'kb/ok.yml'), join(root, 'elsewhere.yml')),
    ],
    ['a folder', 'kb/metrics', () => undefined],
    ['a file in place of a folder', 'kb/ok.yml/x.yml', () => undefined],
    ['a pipe', 'kb/pipe.yml', () => execFileSync('sh', ['-c', 'mkfifo "$0"', join(root, 'kb/pipe.yml')])],
    ['a file in other letters', 'kb/OK.yml', () => undefined],
    ['a file in letters that look alike', 'kb/\u043e\u043a.yml', () => undefined],
    ['a folder in other letters', 'kb/Metrics/x.yml', () => undefined],
    ['a sharp s in capitals', 'kb/STRASSE.yml', () => writeFileSync(join(root, 'kb/straße.yml'), '')],
    ['accents in another form', 'kb/caf\u00e9.yml', () => writeFileSync(join(root, 'kb/cafe\u0301.yml'), '')],
    [
      'another repository',
      'kb/metrics/x.yml',
      () => writeFileSync(join(root, 'kb/metrics/.git'), 'gitdir: x'),
    ],
  ])('%s is refused', async (_name, path, arrange) => {
    arrange()
    await expect(checkOnDisk(root, path)).rejects.toThrowError(refusal)
  })

  const hostile = new URL('../../../shared/hostile/paths.json', import.meta.url)
  it('every hostile path of the shared list is refused', needsShared('hostile/paths.json'), async () => {
    const items: { path: unknown; legal?: boolean; fixture?: string }[] = JSON.parse(
      readFileSync(hostile, 'utf8'),
    )
    const wrong: unknown[] = []
    for (const item of items) {
      const [, link, target] = /^symlink (\S+) -> (\S+)$/.exec(item.fixture ?? '') ?? []
      if (link !== undefined && target !== undefined) {
        mkdirSync(dirname(join(root, link)), { recursive: true })
        symlinkSync(target, join(root, link))
      }
      const allowed = await isAllowed(item.path)
      if (allowed !== (item.legal === true)) wrong.push(item)
    }
    expect(wrong).toEqual([])
    expect(items.length).toBeGreaterThan(30)
  })

  async function isAllowed(path: unknown): Promise<boolean> {
    try {
      await checkOnDisk(root, check(path))
      return true
    } catch (error) {
      expect(error).toMatchObject({ code: 'path_refused' })
      return false
    }
  }
})
