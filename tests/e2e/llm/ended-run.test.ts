import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../src/store/store.js'
import { type Policy, type Said, startChatServer } from '../../llm/chat-server.js'
import { edits, roleOf, shownFiles, sqlFromSnippets } from '../../llm/policies.js'
import { attempt, run as runRecord } from '../../report/fixtures.js'
import { autotest, removeFolders } from '../sample.js'
import {
  benchmarkPath,
  benchmarkText,
  drifted,
  driftedSnippet,
  goodSnippet,
  read,
  smallProject,
  snippetPath,
} from '../small-project.js'
import { keyed, llmProject, modelKey } from './project.js'

afterAll(removeFolders)

async function serve(policy: Policy): Promise<string> {
  const server = await startChatServer(policy, { key: modelKey })
  onTestFinished(() => server.close())
  return server.baseUrl
}

/** A filter lost, and another one that nothing in the project has. */
const twoCauses = {
  ...drifted,
  [benchmarkPath]: benchmarkText.replace(
    'count(*) AS orders FROM orders WHERE',
    'count(*) AS orders FROM orders WHERE amount > 5 AND',
  ),
}

/** Mends the first cause that it is asked about; then the key is no longer good. */
function mendsOne(): Policy {
  let asked = 0
  return ({ prompt }) => {
    if (++asked > 1) return { status: 401 }
    const filter = /differences: filter missing: ([^;\n]+)/.exec(prompt)?.[1]
    const search = [...shownFiles(prompt).values()]
      .join('')
      .split('\n')
      .find((line) => line.startsWith('WHERE day'))
    return edits('lost a filter', [
      {
        kind: 'edit_snippet',
        path: snippetPath,
        search: search ?? '',
        replace: `${search}\n  AND ${filter}`,
      },
    ])
  }
}

const byModel = ['--agent', 'template', '--repairer', 'llm']

describe('an endpoint that fails after a repair was accepted', () => {
  it('ends the run with its own exit code; what was proved is written, reported, and can be reverted', async () => {
    const dir = llmProject(await serve(mendsOne()), twoCauses)
    const run = await autotest(dir, [...byModel, '--no-commit', '-o', 'out.json', 'out.xml'], keyed)
    expect(run.err).toMatch(/error {2}gpt-5-mini at .*: HTTP 401/)
    expect(run.out).toMatch(/REPAIRED metric gmv \(2 cases, E2\)/)
    expect(run.out).toMatch(/FAIL orders_id: .*; not tried: gpt-5-mini at .*: HTTP 401/)
    expect(run.out).toMatch(/total=3 passed=0 repaired=2 failed=1 .*exit=2/)
    expect([run.code, read(dir, snippetPath)]).toEqual([2, goodSnippet])
    const report = JSON.parse(read(dir, 'out.json'))
    expect(report.run).toMatchObject({ status: 'failed', exitCode: 2, decision: 'kept' })
    expect(report.run.failure).toContain('HTTP 401')
    expect(report.summary).toMatchObject({ repaired: 2, repairs: 1 })
    expect(read(dir, 'out.xml')).toMatch(/<error message="the run is failed: .*HTTP 401/)
    expect(existsSync(join(dir, 'reports', report.run.id, 'report.md'))).toBe(true)
    expect((await autotest(dir, ['runs', 'show', 'last'])).out).toMatch(/ended early: .*HTTP 401/)
    expect((await autotest(dir, ['--resume'], keyed)).err).toContain('autotest --last-failed')
    expect((await autotest(dir, ['revert', 'last'])).out).toContain('Reverted gmv')
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
  })

  it('leaves a dry run its plan', async () => {
    const dir = llmProject(await serve(mendsOne()), twoCauses)
    const run = await autotest(dir, [...byModel, '--dry-run'], keyed)
    expect(run.out).toContain('apply with: autotest apply r-')
    expect(run.code).toBe(2)
    expect((await autotest(dir, ['apply', 'last'])).code).toBe(0)
    expect(read(dir, snippetPath)).toBe(goodSnippet)
  })
})

describe('a run that ends while it measures', () => {
  it.each([
    [
      'no credit',
      { status: 429, error: { code: 'insufficient_quota', message: 'You exceeded your quota' } },
      2,
    ],
    ['a key that expired', { status: 401, error: { message: 'key expired' } }, 2],
    ['limits of rate', { status: 429, headers: { 'retry-after': '86400' } }, 3],
  ] satisfies [string, Said, number][])(
    'for %s says how to finish it, which asks only what is missing',
    async (_name, refusal, code) => {
      let isBroken = true
      const asked: string[] = []
      const url = await serve((about) => {
        if (isBroken && asked.length > 0) return refusal
        asked.push(about.last)
        return sqlFromSnippets(about)
      })
      const dir = llmProject(url)
      const run = await autotest(dir, ['--no-repair', '--concurrency', '1'], keyed)
      expect(run.code).toBe(code)
      const command = /autotest (--resume r-\w+)$/m.exec(run.err)?.[1]
      expect(command, run.err).toBeDefined()
      isBroken = false
      const rest = await autotest(dir, command?.split(' ') ?? [], keyed)
      expect(rest.out).toMatch(/total=3 passed=3 .*exit=0/)
      expect(asked).toHaveLength(3)
    },
  )

  it('leaves to --last-failed what was not reached, and nothing that passed', async () => {
    let isBroken = true
    const asked: string[] = []
    const url = await serve((about) => {
      if (isBroken && asked.length > 0) return { status: 401 }
      asked.push(about.last)
      return sqlFromSnippets(about)
    })
    const dir = llmProject(url)
    expect((await autotest(dir, ['--no-repair', '--concurrency', '1'], keyed)).code).toBe(2)
    isBroken = false
    const rest = await autotest(dir, ['--no-repair', '--last-failed'], keyed)
    expect([rest.code, rest.err]).toEqual([0, ''])
    expect(rest.out).toMatch(/total=2 passed=2 /)
    expect(asked).toHaveLength(3)
    const none = await autotest(dir, ['--last-failed'], keyed)
    expect([none.code, none.err]).toEqual([5, expect.stringContaining('nothing failed in r-')])
  })

  it('writes its reports and its last line, and goes on once it can', async () => {
    let refuses = true
    const url = await serve((asked) => (refuses ? { status: 401 } : sqlFromSnippets(asked)))
    const dir = llmProject(url)
    const run = await autotest(dir, ['--no-repair', '-o', 'out.xml', 'out.json'], keyed)
    expect(run.out).toMatch(/total=3 passed=0 .*skipped=3 .*exit=2/)
    expect(read(dir, 'out.xml')).toMatch(
      /<error message="the run is failed: 3 of 3 cases were not run: .*HTTP 401/,
    )
    expect(JSON.parse(read(dir, 'out.json')).run.failure).toContain('HTTP 401')
    expect(run.code).toBe(2)
    refuses = false
    const rest = await autotest(dir, ['--resume', '-o', 'out.json'], keyed)
    expect([rest.code, rest.err]).toEqual([0, ''])
    expect(JSON.parse(read(dir, 'out.json')).run).not.toHaveProperty('failure')
  })
})

const page: Said = {
  raw: (response) => {
    response.writeHead(200)
    response.end('<html>')
  },
}

describe('an agent that breaks while a repair is verified', () => {
  it('makes it no refusal: the case says so, exit 3, and the run can go on', async () => {
    const url = await serve((asked) => {
      const isCandidate = [...shownFiles(asked.prompt).values()].some((text) => text.includes("'paid'"))
      return roleOf(asked) === 'sql' && isCandidate ? page : sqlFromSnippets(asked)
    })
    const dir = llmProject(url, drifted)
    const run = await autotest(dir, ['--no-commit', '--repairer', 'rules'], keyed)
    expect(run.out).toMatch(
      /FAIL gmv_id: .*; not verified: case gmv_\w+: agent: tiny at .*: the reply is a page of HTML/,
    )
    expect(run.out).toMatch(/failed=2 .*exit=3/)
    expect(run.err).toMatch(
      /some repairs could not be verified · fix that, then continue with: autotest --resume r-/,
    )
    expect([run.code, read(dir, snippetPath)]).toEqual([3, driftedSnippet])
  })
})

describe('autotest revert of a run that was killed before it wrote', () => {
  it('leaves the files as they are, though they read like the repair', async () => {
    const dir = smallProject()
    const store = await openStore(join(dir, 'reports/autotest.db'), { now: () => new Date(), env: {} })
    const id = store.createRun({ ...runRecord, root: dir })
    const [before, after] = [driftedSnippet, goodSnippet].map((text) => Buffer.from(text))
    store.recordAttempt(id, attempt, [{ path: snippetPath, before: before ?? null, after: after ?? null }])
    store.close()
    const { out, code } = await autotest(dir, ['revert', id])
    expect(out).toContain(`Run ${id} was killed before it wrote anything: nothing to revert.`)
    expect([code, read(dir, snippetPath)]).toEqual([0, goodSnippet])
  })
})
