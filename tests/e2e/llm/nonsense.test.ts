import { afterAll, expect, it, onTestFinished } from 'vitest'
import { type Policy, startChatServer } from '../../llm/chat-server.js'
import { roleOf } from '../../llm/policies.js'
import { autotest, removeFolders } from '../sample.js'
import { drifted, userFiles } from '../small-project.js'
import { nonsensePlans } from './nonsense-plans.js'
import { keyed, llmProject, modelKey } from './project.js'

afterAll(removeFolders)

/** Every kind of them, several times each. */
const plans = nonsensePlans(200)

it('of 200 malformed or plausible-looking plans none is accepted, and no file changes', {
  timeout: 240_000,
}, async () => {
  let given = 0
  const repairer: Policy = (asked) => {
    if (roleOf(asked) !== 'repairer') throw new Error('only the repairer is asked')
    return { answer: plans[given++] ?? { diagnosis: '', reasoning: 'no more', edits: [] } }
  }
  const server = await startChatServer(repairer, { key: modelKey })
  onTestFinished(() => server.close())
  const dir = llmProject(server.baseUrl, { ...drifted, 'kb/notes/ok.md': 'x marks a spot.\n' })
  const before = userFiles(dir)
  while (given < plans.length) {
    const flags = ['--repairer', 'llm', '--agent', 'template', '--max-retries', '100']
    const asked = given
    const run = await autotest(dir, [...flags, '--max-llm-calls', '900', '--no-commit'], keyed)
    expect(run.out).toMatch(/repaired=0 failed=2 /)
    expect(run.code).toBe(1)
    expect(given).toBeGreaterThan(asked)
  }
  // Equal objects of files; a difference would print whole databases.
  expect(JSON.stringify(userFiles(dir)) === JSON.stringify(before)).toBe(true)
})
