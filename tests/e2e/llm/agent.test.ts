import { afterAll, afterEach, describe, expect, it } from 'vitest'
import {
  type ChatServer,
  type ChatServerOptions,
  type Policy,
  startChatServer,
} from '../../llm/chat-server.js'
import { sqlFromSnippets } from '../../llm/policies.js'
import { autotest, removeFolders } from '../sample.js'
import { drifted, read } from '../small-project.js'
import { keyed, llmProject, modelKey } from './project.js'

let server: ChatServer | undefined

afterEach(async () => {
  await server?.close()
  server = undefined
})
afterAll(removeFolders)

async function serve(policy: Policy, options: ChatServerOptions = { key: modelKey }): Promise<string> {
  server = await startChatServer(policy, options)
  return server.baseUrl
}

describe('an agent that is a model', () => {
  it('answers from the entries that a search finds, and every report says what it took', async () => {
    const dir = llmProject(await serve(sqlFromSnippets))
    const run = await autotest(dir, ['--no-repair', '-o', 'out.json'], keyed)
    expect(run.err).toBe('')
    expect(run.out).toMatch(/total=3 passed=3 .* llm_calls=3 llm_tokens=\d+ llm_cost=0\.\d+ exit=0/)
    expect(run.code).toBe(0)
    const report = JSON.parse(read(dir, 'out.json'))
    expect(report.llm).toMatchObject([{ role: 'sql', model: 'tiny', calls: 3 }])
    expect(report.cases[0].read).toContain('snippet:gmv.sql')
    expect(server?.asked).toHaveLength(3)
    expect(server?.asked[0]?.prompt).toContain(
      'orders(id INTEGER, market TEXT, day TEXT, amount REAL, status TEXT)',
    )
  })

  it('asks a failing case again before it calls it a stable failure', async () => {
    const dir = llmProject(await serve(sqlFromSnippets), drifted)
    const run = await autotest(dir, ['--no-repair'], keyed)
    expect(run.out).toContain("FAIL gmv_id: filter missing: status = 'paid'; 1 of 1 rows differ")
    expect(server?.asked).toHaveLength(3 + 2 * 2)
  })
})
