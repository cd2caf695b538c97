import { afterAll, expect, it, onTestFinished } from 'vitest'
import { type Policy, startChatServer } from '../../llm/chat-server.js'
import { saysNothing, sqlFromSnippets } from '../../llm/policies.js'
import { autotest, removeFolders } from '../sample.js'
import { keyed, llmProject, modelKey } from './project.js'

afterAll(removeFolders)

async function projectOf(policy: Policy): Promise<string> {
  const server = await startChatServer(policy, { key: modelKey })
  onTestFinished(() => server.close())
  return llmProject(server.baseUrl)
}

it('measures the noise floor of a model', async () => {
  let asked = 0
  const flaky: Policy = (request) => (asked++ % 2 === 0 ? sqlFromSnippets(request) : saysNothing('not now'))
  const steady = await autotest(
    await projectOf(sqlFromSnippets),
    ['audit', '--null-edit', '--trials', '2'],
    keyed,
  )
  expect([steady.err, steady.code]).toEqual(['', 0])
  expect(steady.out).toContain('noise floor: 0 of 3 cases')
  const flags = ['audit', '--null-edit', '--trials', '3', '--concurrency', '1', '--id', 'gmv_id']
  const noisy = await autotest(await projectOf(flaky), flags, keyed)
  expect(noisy.out).toContain('noise floor: 1 of 1 case changed verdict, although nothing changed')
  expect(noisy.code).toBe(1)
})

it('begins nothing that the budget cannot cover', async () => {
  const run = await autotest(
    await projectOf(sqlFromSnippets),
    ['audit', '--null-edit', '--max-llm-calls', '17'],
    keyed,
  )
  expect(run.err).toContain('the noise floor needs at least 18 LLM calls, and 17 are allowed')
  expect(run.err).toContain('--max-llm-calls 18')
  expect(run.code).toBe(4)
})
