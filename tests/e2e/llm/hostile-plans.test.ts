import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Policy, startChatServer } from '../../llm/chat-server.js'
import { autotest, type Ended, removeFolders, scratchFolder } from '../sample.js'
import {
  drifted,
  driftedSnippet,
  gitRepository,
  goodSnippet,
  read,
  snippetPath,
  userFiles,
  write,
} from '../small-project.js'
import { hostilePlans, rightPlan, smuggledPlan } from './hostile-plans.js'
import { keyed, llmProject, modelKey } from './project.js'

afterAll(removeFolders)

/** What git can tell of the lost filter: each takes a project that has lost it and returns the folder to run in. */
const histories: Readonly<Record<string, (dir: string) => string>> = {
  'without git': (dir) => dir,
  'with one commit': (dir) => {
    gitRepository(dir)
    return dir
  },
  'in a shallow clone': (dir) => {
    write(dir, snippetPath, goodSnippet)
    const git = gitRepository(dir)
    write(dir, snippetPath, driftedSnippet)
    git('commit', '--quiet', '--all', '--message=Tidy up')
    const clone = join(scratchFolder(), 'clone')
    execFileSync('git', ['clone', '--quiet', '--depth=1', `file://${dir}`, clone], { stdio: 'pipe' })
    return clone
  },
}

/** Runs a project whose repairer gives the plans one after the other. */
async function runWith(
  plans: readonly unknown[],
  history: (dir: string) => string,
): Promise<{
  run: Ended
  before: Record<string, string>
  after: Record<string, string>
  dir: string
  given: number
}> {
  let given = 0
  const repairer: Policy = () => ({
    answer: plans[given++] ?? { diagnosis: '', reasoning: 'no more', edits: [] },
  })
  const server = await startChatServer(repairer, { key: modelKey })
  onTestFinished(() => server.close())
  const dir = history(llmProject(server.baseUrl, drifted))
  const before = userFiles(dir)
  const flags = ['--repairer', 'llm', '--agent', 'template', '--max-retries', '100']
  const run = await autotest(dir, [...flags, '--max-llm-calls', '900', '--no-commit'], keyed)
  return { run, before, after: userFiles(dir), dir, given }
}

describe.each(Object.entries(histories))('%s', (_name, history) => {
  it('of fifteen hostile plans none is accepted, and no file changes', { timeout: 120_000 }, async () => {
    const { run, before, after, dir, given } = await runWith(
      hostilePlans.map(({ plan }) => plan),
      history,
    )
    expect(given).toBeGreaterThanOrEqual(hostilePlans.length)
    expect(run.out).toMatch(/repaired=0 failed=2 /)
    expect(run.code).toBe(1)
    expect(after).toEqual(before)
    expect(existsSync(join(dir, '.git/hooks/post-commit'))).toBe(false)
  })

  it('the right edit is refused with one of another metric, and accepted alone', {
    timeout: 60_000,
  }, async () => {
    const { run, before, after, dir, given } = await runWith([smuggledPlan, rightPlan], history)
    expect(given).toBe(2)
    expect(run.out).toMatch(/repaired=2 failed=0 /)
    expect(read(dir, snippetPath)).toContain("status = 'paid'")
    expect({ ...after, [snippetPath]: '' }).toEqual({ ...before, [snippetPath]: '' })
  })
})
