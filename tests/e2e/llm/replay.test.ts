import { afterAll, expect, it, onTestFinished } from 'vitest'
import { type Policy, startChatServer } from '../../llm/chat-server.js'
import { addsMissingFilter, byRole, sqlFromSnippets } from '../../llm/policies.js'
import { autotest, removeFolders } from '../sample.js'
import { drifted, read, write } from '../small-project.js'
import { keyed, llmProject, modelKey } from './project.js'
import { withoutTimes } from './without-times.js'

afterAll(removeFolders)

async function serve(policy: Policy): Promise<string> {
  const server = await startChatServer(policy, { key: modelKey })
  onTestFinished(() => server.close())
  return server.baseUrl
}

const report = (dir: string, file: string): unknown => withoutTimes(JSON.parse(read(dir, file)))

it('a replay of a run with answers that never came gives the same report', async () => {
  const late: Policy = (asked) =>
    asked.prompt.includes('TH GMV')
      ? new Promise((resolve) => setTimeout(() => resolve({ status: 500 }), 9000))
      : sqlFromSnippets(asked)
  const dir = llmProject(await serve(late))
  const config = 'autotest.config.yaml'
  write(dir, config, read(dir, config).replace('timeout: 10s', 'timeout: 3s'))
  const live = await autotest(dir, ['--no-repair', '--record', 'tape', '-o', 'a.json'], keyed)
  expect(live.out).toContain('no answer within 3 s')
  const replayed = await autotest(dir, ['--no-repair', '--replay', 'tape', '-o', 'b.json'])
  expect(replayed.code).toBe(live.code)
  expect(report(dir, 'b.json')).toEqual(report(dir, 'a.json'))
})

it.each([{}, { TEST_MODEL_KEY: '' }, { TEST_MODEL_KEY: 'a\nb' }])(
  'a replay needs no key, and repairs by a model as the run did: %j',
  async (env) => {
    const dir = llmProject(
      await serve(byRole({ sql: sqlFromSnippets, repairer: addsMissingFilter })),
      drifted,
    )
    const live = await autotest(dir, ['--dry-run', '--record', 'tape', '-o', 'a.json'], keyed)
    expect(live.out).toContain('PLANNED')
    const replayed = await autotest(dir, ['--dry-run', '--replay', 'tape', '-o', 'b.json'], env)
    expect(replayed.err).toBe('')
    expect(report(dir, 'b.json')).toEqual(report(dir, 'a.json'))
  },
)

it('a replay of what is no folder of recordings says so before anything is asked', async () => {
  const dir = llmProject('http://127.0.0.1:1/v1')
  const run = await autotest(dir, ['--no-repair', '--replay', 'autotest.config.yaml'])
  expect(run.err).toMatch(/autotest\.config\.yaml is a file, not a folder of recordings/)
  expect([run.code, run.out]).toEqual([2, ''])
})
