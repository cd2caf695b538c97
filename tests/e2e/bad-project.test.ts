import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { needsProc } from '../needs.js'
import { autotest, removeFolders, start } from './sample.js'
import {
  benchmarkPath,
  benchmarkText,
  drifted,
  driftedSnippet,
  gitRepository,
  loggingAgent,
  read,
  smallProject,
  snippetPath,
  userFiles,
  write,
} from './small-project.js'

afterAll(removeFolders)

describe('a benchmark that cannot be used ends the run with its place: exit 2, nothing touched', () => {
  it.each([
    ['missing', null, 'benchmarks contains no *.yaml file'],
    ['empty', '', `${benchmarkPath}:1:1  file is empty`],
    ['without a case', 'cases: []\n', `${benchmarkPath}:1:1  `],
    [
      'with an unknown key',
      benchmarkText.replace('expected_sql', 'expectd_sql'),
      'did you mean `expected_sql`?',
    ],
    [
      'with an id twice',
      benchmarkText.replace('id: gmv_th', 'id: gmv_id'),
      `${benchmarkPath}:6:5  case \`gmv_id\` already exists at ${benchmarkPath}:2`,
    ],
    [
      'with an empty query',
      benchmarkText.replace(/expected_sql: ".*"/, 'expected_sql: ""'),
      `${benchmarkPath}:4:`,
    ],
    ['that is not YAML', 'cases: [\n', `${benchmarkPath}:2:1  `],
    ['that is not text', '\u0000\u0001', `${benchmarkPath}:1:1  `],
  ])('%s', async (_, text, message) => {
    const dir = smallProject({ [benchmarkPath]: text })
    mkdirSync(join(dir, 'benchmarks'), { recursive: true })
    const before = userFiles(dir)
    const { code, out, err } = await autotest(dir, [])
    expect(err).toContain(message)
    expect([code, out]).toEqual([2, ''])
    expect(userFiles(dir)).toEqual(before)
  })

  it('the whole folder missing', async () => {
    const dir = smallProject()
    rmSync(join(dir, 'benchmarks'), { recursive: true })
    expect(await autotest(dir, [])).toMatchObject({
      code: 2,
      err: expect.stringContaining('error  benchmarks: no such file or folder'),
    })
  })
})

describe('a configuration that cannot be used', () => {
  it.each([
    [
      'enigne: sqlite:shop.sqlite\n',
      'autotest.config.yaml:1:1  unknown key `enigne`\n       did you mean `engine`?',
    ],
    ['limits: { concurrency: 0 }\n', 'autotest.config.yaml:1:11  `concurrency` must be at least 1'],
    ['engine: [\n', 'autotest.config.yaml:2:1  '],
    ['engine: oracle:shop\n', 'unknown engine "oracle:"'],
  ])('%j', async (text, message) => {
    const { code, err } = await autotest(smallProject({ 'autotest.config.yaml': text }), [])
    expect(err).toContain(message)
    expect(code).toBe(2)
  })
})

describe('a knowledge base with a broken file: the others load, and the cases that need it say why', () => {
  it.each([
    ['invalid YAML', 'kb/metrics/gmv.yaml', 'metric: gmv\naliases: [\n', 'kb/metrics/gmv.yaml:3:1'],
    ['no text', 'kb/metrics/gmv.yaml', '\u0000', 'kb/metrics/gmv.yaml:1:1'],
    ['a placeholder of no parameter', snippetPath, 'SELECT {{ nope }}\n', `${snippetPath}:1:8`],
  ])('%s', async (_, path, text, place) => {
    const dir = smallProject({ [path]: text })
    const before = userFiles(dir)
    const { code, out, err } = await autotest(dir, ['--no-commit'])
    expect(err).toMatch(/^note {2}/m)
    expect(err).toContain(place)
    expect(out).toMatch(/FAIL gmv_id: .*broken entry: metric gmv cannot be used: /)
    expect(out).toContain(place)
    expect(out).toContain('total=3 passed=1 repaired=0 failed=2')
    expect(code).toBe(1)
    expect(userFiles(dir)).toEqual(before)
  })

  it('a snippet that is missing is written again from two cases', async () => {
    const dir = smallProject({ [snippetPath]: null })
    const told = await autotest(dir, ['--no-repair'])
    expect(told.err).toContain('snippet `gmv.sql` does not exist')
    expect(told.out).toMatch(/FAIL gmv_id: no answer: metric gmv cannot be used: /)
    const { code, out } = await autotest(dir, ['--no-commit'])
    expect(out).toContain(`REPAIRED metric gmv (2 cases, E2): ${snippetPath} -0 +1`)
    expect(code).toBe(0)
    expect(await autotest(dir, ['revert', 'last'])).toMatchObject({ code: 0 })
    expect(userFiles(dir)[snippetPath]).toBeUndefined()
  })

  it('a snippet behind a symbolic link is not written, nor what it leads to', async () => {
    const dir = smallProject({ [snippetPath]: null, 'elsewhere.sql': driftedSnippet })
    symlinkSync(join(dir, 'elsewhere.sql'), join(dir, snippetPath))
    const before = userFiles(dir)
    const { code } = await autotest(dir, ['--no-commit'])
    expect(code).toBe(1)
    expect(userFiles(dir)).toEqual(before)
  })

  it('a snippet behind a symbolic link is not to be created', async () => {
    const dir = smallProject({ [snippetPath]: null, 'elsewhere.sql': driftedSnippet })
    symlinkSync(join(dir, 'elsewhere.sql'), join(dir, snippetPath))
    const { err } = await autotest(dir, ['--no-repair'])
    expect(err).toContain(`note  ${snippetPath}: is a symbolic link`)
    expect(err).not.toContain('Create ')
  })

  it('says that the whole folder is missing', async () => {
    const dir = smallProject()
    rmSync(join(dir, 'kb'), { recursive: true })
    expect(await autotest(dir, [])).toMatchObject({
      code: 2,
      err: expect.stringContaining('error  the knowledge base kb is missing or empty'),
    })
  })

  it('says which command brings the folder back where git has it', async () => {
    const dir = smallProject()
    gitRepository(dir)
    rmSync(join(dir, 'kb'), { recursive: true })
    expect(await autotest(dir, [])).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /The last commit has \d files there: `git checkout HEAD -- kb` restores them/,
      ),
    })
  })
})

describe('what would be written into folders that the agent reads', () => {
  it.each([
    ['a report', ['-o', 'kb/notes/report.md'], '--output', 'kb'],
    ['recordings', ['--record', 'agents/tape'], '--record', 'agents'],
  ])('%s is refused before anything is asked', async (_, args, flag, folder) => {
    const dir = smallProject()
    const before = userFiles(dir)
    const { code, err } = await autotest(dir, args)
    expect(err).toMatch(new RegExp(`error {2}${flag}: .* is in ${folder}/, which the agent reads`))
    expect([code, userFiles(dir)]).toEqual([2, before])
  })
})

describe('without a folder for what is temporary', () => {
  const env = { TMPDIR: '/nowhere' }

  it('the demo says so', async () => {
    const { code, err } = await autotest(smallProject(), ['demo'], env)
    expect(err).toMatch(/error {2}cannot create a folder in \/nowhere: .*\n.*TMPDIR/)
    expect(code).toBe(3)
  })

  it('so does a run whose agent reads files, and one that only reads the database goes on', async () => {
    const dir = smallProject()
    const { code, out } = await autotest(dir, ['--agent', 'command:cat'], env)
    expect(out).toMatch(/ERROR .*cannot create a folder in \/nowhere: .*TMPDIR/)
    expect(code).toBe(3)
    expect((await autotest(dir, ['--no-repair'], env)).code).toBe(0)
  })
})

describe('a project that cannot be written', () => {
  it('with a file where autotest keeps its journal: says so before anything is asked', async () => {
    const dir = smallProject({ ...drifted, '.autotest': 'mine\n' })
    const { code, err } = await autotest(dir, [])
    expect(err).toMatch(/error {2}.*\.autotest cannot be used: it is not a folder\n {7}.*--no-repair/)
    expect(code).toBe(3)
    expect([read(dir, '.autotest'), read(dir, snippetPath)]).toEqual(['mine\n', driftedSnippet])
    expect((await autotest(dir, ['--no-repair'])).code).toBe(1)
  })

  it('with a read-only snippet: says what was found, writes nothing, names the file', async () => {
    const dir = smallProject(drifted)
    const { chmodSync } = await import('node:fs')
    chmodSync(join(dir, snippetPath), 0o444)
    const { code, out } = await autotest(dir, [])
    expect(out).toContain("FAIL gmv_id: filter missing: status = 'paid'")
    expect(out).toContain(`${snippetPath} is read-only`)
    expect(out).not.toContain('REPAIRED')
    expect(code).toBe(1)
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
  })

  it('with a file where the reports go', async () => {
    const dir = smallProject({ ...drifted, reports: 'mine\n' })
    const { code, err } = await autotest(dir, [])
    expect(err).toMatch(/error {2}.*reports\/autotest\.db: .*reports is a file where a folder is needed/)
    expect(err).toContain('--db FILE')
    expect(code).toBe(3)
    expect([read(dir, 'reports'), read(dir, snippetPath)]).toEqual(['mine\n', driftedSnippet])
  })

  it('with a run database where no folder can be made', needsProc, async () => {
    const { code, err } = await autotest(smallProject(), ['--db', '/proc/none/below/runs.db'])
    expect(err).toContain('error  /proc/none/below/runs.db: its folder cannot be created: ')
    expect(err).toContain('--db FILE')
    expect(code).toBe(3)
  })

  it('with a report file that cannot be written: refused before the run', async () => {
    const dir = smallProject(drifted)
    const { code, out, err } = await autotest(dir, ['--output', `${benchmarkPath}/report.json`])
    expect(err).toContain('cannot write the report')
    expect([code, out]).toEqual([3, ''])
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
  })
})

describe('two runs at once in one project', () => {
  it('the second one that may write is told who holds it; measuring goes on', async () => {
    const dir = smallProject({
      'autotest.config.yaml': 'engine: sqlite:shop.sqlite\nagent: { kind: module, path: agents/slow.mjs }\n',
      'agents/slow.mjs': loggingAgent("await pause(60_000)\n  return { type: 'no_answer', message: 'late' }"),
    })
    const first = start(dir, [])
    await first.says('autotest r-')
    const second = await autotest(dir, ['--agent', 'template'])
    expect(second.err).toContain(`error  another run has locked this project (pid ${first.pid}, since `)
    expect(second.err).toContain('--no-repair')
    expect(second.code).toBe(3)
    expect((await autotest(dir, ['--agent', 'template', '--no-repair'])).code).toBe(0)
    first.kill('SIGINT')
    expect((await first.ended).code).toBe(130)
    write(dir, 'agents/slow.mjs', loggingAgent("return { type: 'no_answer', message: 'now' }"))
    expect((await autotest(dir, ['--agent', 'template'])).code).toBe(0)
  })

  it('a metric file that cannot be used is no success, even where every case passes', async () => {
    const dir = smallProject({ 'kb/metrics/broken.yaml': 'metric: [\n' })
    const { code, err } = await autotest(dir, [])
    expect(err).toContain('kb/metrics/broken.yaml cannot be used (autotest kb check)')
    expect(code).toBe(2)
  })

  it('a run that was killed is listed as interrupted once the next one may write', async () => {
    const dir = smallProject({
      'autotest.config.yaml': 'engine: sqlite:shop.sqlite\nagent: { kind: module, path: agents/slow.mjs }\n',
      'agents/slow.mjs': loggingAgent("await pause(60_000)\n  return { type: 'no_answer', message: 'late' }"),
    })
    const first = start(dir, [])
    await first.says('autotest r-')
    first.kill('SIGKILL')
    await first.ended
    expect((await autotest(dir, ['runs'])).out).toMatch(/running/)
    expect((await autotest(dir, ['--agent', 'template'])).code).toBe(0)
    const { out } = await autotest(dir, ['runs'])
    expect(out).toMatch(/interrupted/)
    expect(out).not.toMatch(/running/)
  })
})
