import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { needsRoot, needsTerminal } from '../needs.js'
import { llmProject, modelKey } from './llm/project.js'
import {
  autotest,
  cli,
  type Ended,
  inTerminal,
  removeFolders,
  sampleCopy,
  scratchFolder,
  start,
} from './sample.js'
import { gitRepository, smallProject, userFiles } from './small-project.js'

afterAll(removeFolders)

const identity = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ana',
  GIT_AUTHOR_EMAIL: 'ana@example.com',
  GIT_COMMITTER_NAME: 'Ana',
  GIT_COMMITTER_EMAIL: 'ana@example.com',
}

/** What a machine that is well prints. */
const machine = [
  expect.stringMatching(/^ok {7}node {13}\d+\.\d+\.\d+ \(supported: 20\.19 or newer\)$/),
  expect.stringMatching(/^ok {7}sqlite {11}SQLite 3\.\d+\.\d+$/),
  expect.stringMatching(/^ok {7}duckdb {11}DuckDB \d+\.\d+\.\d+(?:, not used by this project)?$/),
  expect.stringMatching(/^ok {7}git {14}\d+\.\d+/),
  'ok       git identity     Ana <ana@example.com>',
  expect.stringMatching(/^ok {7}temp folder {6}\//),
  expect.stringMatching(/^ok {7}disk space {7}[\d.]+ GB free in \//),
]

const rowsOf = ({ out }: Pick<Ended, 'out'>): string[] =>
  out.split('\n').filter((line) => /^(?:ok|note|problem) /.test(line))

describe('autotest doctor', () => {
  it('outside a project looks at the machine, says how to begin, and exits 0', async () => {
    const dir = scratchFolder()
    const { code, out, err } = await autotest(dir, ['doctor'], identity)
    expect(rowsOf({ out })).toEqual([
      ...machine,
      expect.stringMatching(/^note {5}project {10}none found: /),
      // Whether unit tests will be written here is not known, so what they need is no problem.
      ...['python ', 'sandbox', 'tool scripts'].map((name) =>
        expect.stringMatching(new RegExp(`^(ok  |note) {5}${name}`)),
      ),
    ])
    expect(out.replaceAll(/\s+/g, ' ')).toContain(
      `neither ${dir} nor a parent folder has an autotest.config.yaml, and there is no benchmarks/ → Go to the folder of your project, or try the sample: autotest demo`,
    )
    expect(out).toMatch(/\n\nno problems {3}\d notes? {3}\d+ ok\n$/)
    expect([code, err]).toEqual([0, ''])
    expect(readdirSync(dir)).toEqual([])
  })

  it('in the sample project every line is ok, and nothing is written', async () => {
    const dir = sampleCopy()
    gitRepository(dir)
    const before = userFiles(dir)
    const ended = await autotest(dir, ['doctor'], identity)
    expect(rowsOf(ended)).toEqual([
      ...machine,
      `ok       project          ${dir} (autotest.config.yaml)`,
      'ok       benchmarks       69 cases in 4 files',
      expect.stringMatching(/^ok {7}knowledge base {3}kb\/: \d+ metrics, \d+ snippets, \d+ notes$/),
      `ok       repository       ${dir}`,
      'ok       branch           main',
      'ok       history          1 commit',
      'ok       reports folder   reports: created when needed',
      'ok       .autotest folder .autotest: created when needed',
      'ok       run database     reports/autotest.db: created by the first run',
      'ok       fixture          data/shop.sql: the first run builds the database',
      expect.stringMatching(
        /^ok {7}engine {11}duckdb:data\/shop\.duckdb, built from data\/shop\.sql, answers/,
      ),
      'ok       agent            template: no setup needed',
    ])
    expect(ended.out).toMatch(/\n\nno problems {3}19 ok\n$/)
    expect([ended.code, ended.err]).toEqual([0, ''])
    expect(userFiles(dir)).toEqual(before)
    expect(readdirSync(dir)).not.toContain('.autotest')
  })

  it('with several things broken at once names each with what mends it: exit 2', async () => {
    const dir = smallProject({
      'autotest.config.yaml':
        'engine: sqlite:none.sqlite\nagent: { kind: command, run: [none-such, "--fast"] }\nllm: { base_url: "http://127.0.0.1:9/v1", key_env: NO_SUCH_KEY, roles: { judge: { model: tiny } } }\n',
      'benchmarks/gmv.yaml': 'cases:\n  - id: a\n    question: x\n    expectd_sql: SELECT 1\n',
      'kb/snippets/gmv.sql': null,
      reports: 'a file\n',
    })
    const ended = await autotest(dir, ['doctor'], {
      ...identity,
      PATH: scratchFolder(),
      TMPDIR: '/proc',
    })
    const { out } = ended
    expect(ended.err).toBe('')
    expect(rowsOf(ended)).toEqual([
      machine[0],
      machine[1],
      expect.stringMatching(/^note {5}duckdb {11}not checked: cannot create a folder in \/proc/),
      'problem  git              git is not installed, or not on PATH: repairs cannot be committed',
      expect.stringMatching(/^problem {2}temp folder {6}\/proc is not writable: /),
      expect.stringMatching(/ disk space /),
      `ok       project          ${dir} (autotest.config.yaml)`,
      expect.stringMatching(/^problem {2}benchmarks {7}benchmarks\/gmv\.yaml:2:5 `expected_sql` is missing/),
      expect.stringMatching(/^problem {2}knowledge base {3}kb\/metrics\/gmv\.yaml:\d+:\d+ /),
      `problem  reports folder   ${dir}/reports is a file where a folder is needed`,
      'ok       .autotest folder .autotest: created when needed',
      `problem  run database     ${dir}/reports is a file where a folder is needed`,
      'problem  engine           database not found: none.sqlite',
      'problem  agent            the program none-such was not found on PATH',
      'problem  definitions      agents/judge.yaml: no such definition',
      expect.stringMatching(
        /^problem {2}model judge {6}NO_SUCH_KEY is not set: tiny at http:\/\/127\.0\.0\.1:9\/v1/,
      ),
      expect.stringMatching(/^note {5}model repairer {3}/),
    ])
    const fixes = out.split('\n').filter((line) => line.trim().startsWith('→'))
    expect(fixes.length).toBe(11)
    expect(out).toMatch(/\n\n10 problems {3}2 notes {3}5 ok\n$/)
    expect(ended.code).toBe(2)
  })

  it('a program that hangs costs its line and no other, and is not waited for', async () => {
    const dir = smallProject()
    const bin = scratchFolder()
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nexec sleep 40\n')
    chmodSync(join(bin, 'git'), 0o755)
    const started = performance.now()
    const ended = await autotest(dir, ['doctor'], { PATH: `${bin}:${process.env['PATH']}` })
    expect(performance.now() - started).toBeLessThan(35_000)
    const hung = rowsOf(ended).filter((line) => line.includes('no answer within 10 s'))
    expect(hung.map((line) => line.slice(9, 26).trim())).toEqual([
      'git',
      'git identity',
      'repository',
      'branch',
      'history',
      'checkout',
    ])
    expect(rowsOf(ended)).toContain('ok       engine           sqlite:shop.sqlite answers SELECT 1; 1 table')
    expect(ended.out).toMatch(/\n\n6 problems {3}\d+ ok\n$/)
    expect(ended.code).toBe(2)
  })

  it('is ended by Ctrl-C at once: 130', async () => {
    const bin = scratchFolder()
    writeFileSync(join(bin, 'git'), '#!/bin/sh\nexec sleep 40\n')
    chmodSync(join(bin, 'git'), 0o755)
    const running = start(smallProject(), ['doctor'], { PATH: `${bin}:${process.env['PATH']}` })
    await running.says('duckdb')
    running.kill('SIGINT')
    const { code, err } = await running.ended
    expect([code, err]).toEqual([130, expect.stringContaining('error  interrupted')])
  })

  it('--json is a list for programs, and its exit code is the same', async () => {
    const dir = smallProject({ 'autotest.config.yaml': 'engin: x\n' })
    const { code, out, err } = await autotest(dir, ['doctor', '--json'], identity)
    const rows: { name: string; status: string; detail: string; fix: string | null }[] = JSON.parse(out)
    expect(rows.map(({ name }) => name)).toContain('sqlite')
    expect(rows.find(({ name }) => name === 'project')).toEqual({
      name: 'project',
      status: 'problem',
      detail: 'autotest.config.yaml:1:1  unknown key `engin`',
      fix: 'did you mean `engine`?',
    })
    expect([code, err]).toEqual([2, ''])
  })

  it('never shows a key', async () => {
    const dir = llmProject('http://127.0.0.1:9/v1')
    for (const args of [[], ['--json'], ['--call'], ['--call', '--verbose']]) {
      const { code, out, err } = await autotest(dir, ['doctor', ...args], {
        ...identity,
        TEST_MODEL_KEY: modelKey,
      })
      expect(out).toContain(args.includes('--call') ? 'no connection' : 'key in TEST_MODEL_KEY')
      expect(out + err).not.toContain(modelKey)
      expect(code).toBe(args.includes('--call') ? 2 : 0)
    }
  })

  it('names a flag that it does not have', async () => {
    const { code, err } = await autotest(scratchFolder(), ['doctor', '--cal'])
    expect([code, err]).toEqual([
      2,
      'error  unknown flag --cal\n       did you mean --call? (see autotest doctor --help)\n',
    ])
  })
})

describe('in a terminal', needsTerminal, () => {
  it('of 40 columns no line is longer; NO_COLOR is honoured', async () => {
    const dir = smallProject({ 'autotest.config.yaml': 'engine: sqlite:none.sqlite\n' })
    const { out, code } = await inTerminal(dir, ['doctor'], 40, { ...identity, NO_COLOR: '1' }).ended
    expect(out).not.toContain('\u001b[3')
    expect(Math.max(...out.split(/\r?\n/).map((line) => line.length))).toBeLessThanOrEqual(40)
    expect(out).toMatch(/problem {2}engine\r?\n {2}database not found: none\.sqlite\r?\n {2}→ Set `engine`/)
    expect(code).toBe(2)
  })

  it('a problem is red', async () => {
    const dir = smallProject({ 'autotest.config.yaml': 'engine: sqlite:none.sqlite\n' })
    const { out } = await inTerminal(dir, ['doctor'], 100, identity).ended
    expect(out).toContain('\u001b[31mproblem')
  })
})

describe('an installation without its native modules', () => {
  const repository = resolve(import.meta.dirname, '../..')
  let installed = ''
  beforeAll(() => {
    // As npm leaves it where install scripts are not run and optional packages are left out.
    installed = scratchFolder()
    mkdirSync(join(installed, 'node_modules'))
    cpSync(join(repository, 'dist'), join(installed, 'dist'), {
      recursive: true,
      filter: (path) => !path.endsWith('.node'),
    })
    cpSync(join(repository, 'package.json'), join(installed, 'package.json'))
  })

  const run = (cwd: string) =>
    spawnSync(process.execPath, [join(installed, 'dist/cli/main.js'), 'doctor'], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, ...identity },
    })

  it('says so in two lines, and looks at all else', () => {
    const dir = smallProject({ 'autotest.config.yaml': 'kb: kb\n' })
    const { status, stdout, stderr } = run(dir)
    const rows = rowsOf({ out: stdout })
    expect(rows[1]).toMatch(/^problem {2}sqlite {11}SQLite cannot be loaded by Node [\d.]+: \S/)
    expect(rows[2]).toMatch(/^note {5}duckdb {11}DuckDB cannot be loaded; this project does not use it: /)
    expect(rows).toContain('ok       benchmarks       3 cases in 1 file')
    expect(rows).toContain('ok       agent            template: no setup needed')
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/→ (?:Run `node |Install autotest again)/)
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('→ npm install --include=optional')
    expect(stdout).not.toContain('bug in autotest')
    expect([status, stderr]).toEqual([2, ''])
  })

  it('that a database needs are problems', () => {
    const { status, stdout } = run(smallProject({ 'autotest.config.yaml': 'engine: duckdb:shop.duckdb\n' }))
    const rows = rowsOf({ out: stdout })
    expect(rows[2]).toMatch(/^problem {2}duckdb /)
    expect(status).toBe(2)
    const sqlite = run(smallProject())
    expect(rowsOf({ out: sqlite.stdout }).find((line) => line.includes(' engine '))).toMatch(/^problem /)
  })
})

describe('as an ordinary user, in a project of another one', needsRoot, () => {
  const nobody = 65_534

  it('what may not be written is named, and who may change it', () => {
    const dir = smallProject()
    gitRepository(dir)
    mkdirSync(join(dir, 'reports'))
    chmodSync(dir, 0o755)
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'doctor'], {
      cwd: dir,
      encoding: 'utf8',
      uid: nobody,
      gid: nobody,
      env: { ...process.env, ...identity, HOME: dir },
    })
    const rows = rowsOf({ out: stdout })
    expect(rows).toContain('problem  repository       the git repository belongs to another user')
    for (const name of ['reports', '.autotest'])
      expect(rows.join('\n')).toMatch(
        new RegExp(`problem {2}${name} folder +${name} is not writable: EACCES`),
      )
    expect(rows.join('\n')).toMatch(/problem {2}run database {5}reports is not writable: EACCES/)
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`→ sudo chown -R nobody ${dir}/reports`)
    expect(rows).toContain('ok       engine           sqlite:shop.sqlite answers SELECT 1; 1 table')
    expect([status, stderr]).toEqual([2, ''])
  })
})
