import { chmodSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Sqlite } from '../../../src/platform/sqlite.js'
import { openStore } from '../../../src/store/store.js'
import { removeFolders, scratchFolder } from '../../e2e/sample.js'
import { append, benchmarkPath, smallProject, userFiles, write } from '../../e2e/small-project.js'
import { asOrdinaryUser } from '../../ordinary-user.js'
import { finding } from './find-check.js'

afterAll(removeFolders)

const ofConfiguration = ['benchmarks', 'knowledge base', 'engine', 'agent']

describe('the project', () => {
  it('of an ordinary kind is ok, also from a folder below', async () => {
    const dir = smallProject()
    const before = userFiles(dir)
    expect(await finding('project', join(dir, 'kb'))).toMatchObject({
      status: 'ok',
      detail: `${dir} (autotest.config.yaml)`,
    })
    expect(await finding('benchmarks', dir)).toMatchObject({ status: 'ok', detail: '3 cases in 1 file' })
    expect(await finding('knowledge base', dir)).toMatchObject({
      status: 'ok',
      detail: 'kb/: 2 metrics, 2 snippets, 0 notes',
    })
    expect(userFiles(dir)).toEqual(before)
  })

  it('may have no configuration file', async () => {
    const dir = smallProject({ 'autotest.config.yaml': null })
    expect(await finding('project', dir)).toMatchObject({
      status: 'ok',
      detail: `${dir} (no autotest.config.yaml: defaults)`,
    })
  })

  it('that is none is a note with a way to begin, and nothing else is said of it', async () => {
    const dir = scratchFolder()
    expect(await finding('project', dir)).toMatchObject({
      status: 'note',
      detail: expect.stringContaining(`neither ${dir} nor a parent folder has an autotest.config.yaml`),
      fix: expect.stringContaining('autotest demo'),
    })
    for (const name of [...ofConfiguration, 'reports folder', '.autotest folder', 'run database', 'fixture'])
      expect([name, await finding(name, dir)]).toEqual([name, undefined])
  })

  it('whose configuration is wrong names file and line, and what depends on it says so', async () => {
    const dir = smallProject({ 'autotest.config.yaml': 'kb: kb\nengin: sqlite:shop.sqlite\n' })
    expect(await finding('project', dir)).toMatchObject({
      status: 'problem',
      detail: 'autotest.config.yaml:2:1  unknown key `engin`',
      fix: expect.stringContaining('`engine`'),
    })
    for (const name of ofConfiguration)
      expect(await finding(name, dir)).toMatchObject({
        status: 'note',
        detail: 'not checked: the configuration cannot be read',
      })
    expect(await finding('reports folder', join(dir, 'kb'))).toMatchObject({
      status: 'ok',
      detail: 'reports: created when needed',
    })
  })

  it('whose configuration --config names and is not there', async () => {
    expect(await finding('project', smallProject(), { file: 'none.yaml' })).toMatchObject({
      status: 'problem',
      detail: 'none.yaml: no such file',
      fix: expect.stringContaining('--config'),
    })
  })
})

describe('the benchmark', () => {
  it('with faults names each with its line', async () => {
    const dir = smallProject()
    append(dir, benchmarkPath, '  - { id: gmv_id, question: again, expected_sql: SELECT 1 }\n')
    append(dir, benchmarkPath, '  - { id: other, question: x, expected_sql: "" }\n')
    const row = await finding('benchmarks', dir)
    expect(row).toMatchObject({ status: 'problem' })
    expect(row?.detail).toMatch(/benchmarks\/gmv\.yaml:\d+:\d+ {2}.*expected_sql/)
  })

  it('that is missing says where it is looked for', async () => {
    const dir = smallProject({ [benchmarkPath]: null })
    expect(await finding('benchmarks', dir)).toMatchObject({
      status: 'problem',
      detail: 'benchmarks: no such file or folder',
      fix: expect.stringContaining('`benchmarks` in autotest.config.yaml'),
    })
  })
})

describe('the knowledge base', () => {
  it('that is missing', async () => {
    const dir = smallProject()
    rmSync(join(dir, 'kb'), { recursive: true })
    expect(await finding('knowledge base', dir)).toMatchObject({
      status: 'problem',
      detail: 'the knowledge base kb is missing or empty',
      fix: 'Set `kb` in autotest.config.yaml to its folder.',
    })
  })

  it('with an entry that cannot be used leads to kb check', async () => {
    const dir = smallProject({ 'kb/snippets/gmv.sql': null })
    expect(await finding('knowledge base', dir)).toMatchObject({
      status: 'problem',
      detail: expect.stringMatching(/^kb\/metrics\/gmv\.yaml:\d+:\d+ {2}.*gmv\.sql/),
      fix: 'autotest kb check',
    })
  })
})

describe('folders that a run writes to', () => {
  it('are proved by writing, and nothing is left', async () => {
    const dir = smallProject()
    mkdirSync(join(dir, '.autotest'))
    const before = readdirSync(dir, { recursive: true })
    expect(await finding('reports folder', dir)).toMatchObject({ detail: 'reports: created when needed' })
    expect(await finding('.autotest folder', dir)).toMatchObject({ status: 'ok', detail: '.autotest' })
    expect(await finding('run database', dir)).toMatchObject({
      status: 'ok',
      detail: 'reports/autotest.db: created by the first run',
    })
    expect(readdirSync(dir, { recursive: true })).toEqual(before)
  })

  it('that are a file', async () => {
    const dir = smallProject({ reports: 'a file\n' })
    expect(await finding('reports folder', dir)).toMatchObject({
      status: 'problem',
      detail: `${dir}/reports is a file where a folder is needed`,
      fix: `Move it away: mv ${dir}/reports ${dir}/reports.old`,
    })
  })

  it('that nobody can write to, not even root', async () => {
    const row = await finding('run database', smallProject(), { db: '/proc/none/autotest.db' })
    expect(row).toMatchObject({
      status: 'problem',
      detail: expect.stringMatching(/^\/proc\/none is not writable/),
    })
  })

  it('that are this user’s, and may not be written', async () => {
    const dir = smallProject()
    mkdirSync(join(dir, 'reports'))
    chmodSync(join(dir, 'reports'), 0o555)
    const found = await asOrdinaryUser(dir, () => finding('reports folder', dir))
    expect(found).toMatchObject({
      status: 'problem',
      fix: expect.stringMatching(/^chmod u\+rwx .*reports$/),
    })
  })
})

describe('the run database', () => {
  const path = 'reports/autotest.db'
  async function withRuns(): Promise<string> {
    const dir = smallProject()
    const store = await openStore(join(dir, path), { now: () => new Date() })
    store.close()
    return dir
  }

  it('without a run yet is ok', async () => {
    expect(await finding('run database', await withRuns())).toMatchObject({
      status: 'ok',
      detail: `${path}: no runs yet`,
    })
  })

  it('of an older autotest is a note, of a newer one a problem', async () => {
    const dir = await withRuns()
    const version = (number: number): void => {
      const database = new Sqlite(join(dir, path))
      database.pragma(`user_version = ${number}`)
      database.close()
    }
    version(1)
    expect(await finding('run database', dir)).toMatchObject({
      status: 'note',
      detail: `${path} was created by an older autotest`,
      fix: expect.stringContaining('next run'),
    })
    version(999)
    expect(await finding('run database', dir)).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining('created by a newer autotest (schema 999'),
      fix: expect.stringContaining('Update autotest'),
    })
  })

  it('that is none is a problem', async () => {
    const dir = smallProject({ [path]: 'no database at all\n' })
    expect(await finding('run database', dir)).toMatchObject({
      status: 'problem',
      detail: expect.stringContaining('not a run database of autotest'),
      fix: expect.stringContaining('--db FILE'),
    })
    const other = await finding('run database', dir, { db: 'shop.sqlite' })
    expect(other).toMatchObject({ detail: expect.stringContaining('it belongs to another program') })
  })
})

it('a file that autotest reads is named where it is no text', async () => {
  const dir = smallProject()
  write(dir, 'autotest.config.yaml', new Uint8Array([0xff, 0xfe, 0x00]))
  expect(await finding('project', dir)).toMatchObject({
    status: 'problem',
    detail: expect.stringContaining('autotest.config.yaml:1:1'),
  })
})
