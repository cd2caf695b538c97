import { afterAll, expect, it } from 'vitest'
import { autotest, removeFolders } from './sample.js'
import { smallProject } from './small-project.js'

afterAll(removeFolders)

it('names files of the knowledge base and the benchmark that nothing reads, and no README', async () => {
  const dir = smallProject({
    'kb/docs/terms.md': '# Terms\n',
    'kb/model.json': '{}\n',
    'kb/README.md': 'about\n',
    'kb/.gitkeep': '',
    'benchmarks/more.jsonl': '{}\n',
  })
  const kb = 'kb: 2 files are not read: kb/docs/terms.md, kb/model.json'
  const benchmark = 'benchmarks: 1 file is not read: benchmarks/more.jsonl'
  const [check, doctor, run] = [
    await autotest(dir, ['kb', 'check']),
    await autotest(dir, ['doctor']),
    await autotest(dir, ['--no-repair']),
  ]
  expect(check.out.replaceAll(/\s+/g, ' ')).toContain(kb)
  for (const { out } of [doctor]) expect(out.replaceAll(/\s+/g, ' ')).toContain(benchmark)
  expect(run.err).toContain(kb)
  expect(run.err).toContain(benchmark)
  expect([check.code, run.code]).toEqual([0, 0])
})

it('a knowledge base without an entry is an error, however many files are in it', async () => {
  const none = { 'kb/metrics/gmv.yaml': null, 'kb/metrics/orders.yaml': null }
  const dir = smallProject({
    ...none,
    'kb/snippets/gmv.sql': null,
    'kb/snippets/orders.sql': null,
    'kb/docs/terms.md': '# Terms\n',
  })
  for (const args of [['kb', 'check'], ['--no-repair']]) {
    const { code, out, err } = await autotest(dir, args)
    expect(`${out}${err}`).toContain('the knowledge base kb has no entry')
    expect(`${out}${err}`).toContain('kb/docs/terms.md')
    expect(code).toBe(2)
  }
})

it('says once that an agent names what is no entry', async () => {
  const dir = smallProject({
    'autotest.config.yaml': 'engine: sqlite:shop.sqlite\nagent: { kind: module, path: agents/mine.mjs }\n',
    'agents/mine.mjs': 'export default () => ({ type: "sql", sql: "SELECT 1 AS gmv", read: ["gmv"] })\n',
  })
  const { err } = await autotest(dir, ['--no-repair'])
  expect(err.match(/names gmv in `read`/g)).toHaveLength(1)
})
