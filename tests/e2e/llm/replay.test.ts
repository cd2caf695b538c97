import { afterAll, expect, it, onTestFinished } from 'vitest'
import { type Policy, startChatServer } from '../../llm/chat-server.js'
import { addsMissingFilter, byRole, sqlFromSnippets } from '../../llm/policies.js'
import { autotest, removeFolders } from '../sample.js'
import { benchmarkPath, drifted, read, write } from '../small-project.js'
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

const missed = /error {2}.*tape contains no recording of case \w+ for the role sql \(sample 0, try 0\)/

it('a replay of a run that its budget ended is the same within that budget, and a miss beyond it', async () => {
  const dir = llmProject(await serve(sqlFromSnippets))
  const within = ['--no-repair', '--concurrency', '1', '--max-llm-calls', '2']
  const live = await autotest(dir, [...within, '--record', 'tape', '-o', 'a.json'], keyed)
  const replayed = await autotest(dir, [...within, '--replay', 'tape', '-o', 'b.json'])
  expect([live.code, replayed.code]).toEqual([4, 4])
  expect(report(dir, 'b.json')).toEqual(report(dir, 'a.json'))
  const beyond = await autotest(dir, ['--no-repair', '--replay', 'tape'])
  expect(beyond.err).toMatch(missed)
  expect(beyond.err).toMatch(/: the recorded run ended before its answer \(the budget of 2 LLM calls/)
  expect(beyond.code).toBe(2)
})

it('a replay of a run whose endpoint refused it names what is missing, where questions are others now', async () => {
  let asked = 0
  const refusing: Policy = (about) => (++asked > 1 ? { status: 401 } : sqlFromSnippets(about))
  const dir = llmProject(await serve(refusing))
  const live = await autotest(dir, ['--no-repair', '--record', 'tape', '-o', 'a.json'], keyed)
  const replayed = await autotest(dir, ['--no-repair', '--replay', 'tape', '-o', 'b.json'])
  const errorOf = ({ err }: { err: string }) => err.slice(err.indexOf('error  '))
  expect(errorOf(replayed)).toBe(errorOf(live))
  expect(report(dir, 'b.json')).toEqual(report(dir, 'a.json'))
  write(dir, benchmarkPath, read(dir, benchmarkPath).replaceAll('November', 'October'))
  const others = await autotest(dir, ['--no-repair', '--replay', 'tape'])
  expect(others.err).toMatch(missed)
  expect(others.err).toMatch(/; a run recorded there ended early \(tiny at .*: HTTP 401/)
  expect(others.code).toBe(2)
})

it('a replay of what is no folder of recordings says so before anything is asked', async () => {
  const dir = llmProject('http://127.0.0.1:1/v1')
  const run = await autotest(dir, ['--no-repair', '--replay', 'autotest.config.yaml'])
  expect(run.err).toMatch(/autotest\.config\.yaml is a file, not a folder of recordings/)
  expect([run.code, run.out]).toEqual([2, ''])
})
