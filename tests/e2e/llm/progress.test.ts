import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { startChatServer } from '../../llm/chat-server.js'
import { sqlFromSnippets } from '../../llm/policies.js'
import { needsTerminal } from '../../needs.js'
import { inTerminal, removeFolders } from '../sample.js'
import { keyed, llmProject, modelKey } from './project.js'

afterAll(removeFolders)

describe('while a model is waited for', needsTerminal, () => {
  it('the line says role, case, call, seconds and how many more, each second', async () => {
    const server = await startChatServer(sqlFromSnippets, { key: modelKey, latencyMs: 3500 })
    onTestFinished(() => server.close())
    const run = inTerminal(llmProject(server.baseUrl), ['--no-repair', '--max-llm-calls', '9'], 120, keyed)
    const { out } = await run.ended
    for (const seconds of [1, 2, 3])
      expect(out).toContain(` 0/3 cases · sql gmv_id: call 1 of at most 9 · ${seconds} s · 2 more under way`)
  })
})
