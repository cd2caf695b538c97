import type { ServerResponse } from 'node:http'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { Sqlite as Database } from '../../../src/platform/sqlite.js'
import { type Asked, type ChatServer, startChatServer } from '../../llm/chat-server.js'
import { addsMissingFilter, byRole, flakyWith, roleOf, saysSql, sqlFromSnippets } from '../../llm/policies.js'
import { autotest, removeFolders, start } from '../sample.js'
import {
  drifted,
  driftedSnippet,
  loggingAgent,
  read,
  smallProject,
  snippetPath,
  write,
} from '../small-project.js'
import { keyed, llmProject, modelKey } from './project.js'
import { withoutTimes } from './without-times.js'

afterAll(removeFolders)

/** Right about GMV as far as the snippet is, and about orders in half of its answers. */
async function serve(latencyMs?: number): Promise<ChatServer> {
  const sql = flakyWith(0.5, 'ID orders in November 2025', sqlFromSnippets)
  const server = await startChatServer(byRole({ sql, repairer: addsMissingFilter }), {
    key: modelKey,
    ...(latencyMs === undefined ? {} : { latencyMs }),
  })
  onTestFinished(() => server.close())
  return server
}

const flags = ['--repeat', '6', '--repairer', 'llm', '--max-llm-calls', '200', '--no-commit']
const asks = ({ asked }: ChatServer, role: string): Asked[] => asked.filter((each) => roleOf(each) === role)

describe('a model that is right only sometimes', () => {
  it('is told apart from one that is always wrong: the first is reported, the second repaired', async () => {
    const server = await serve()
    const dir = llmProject(server.baseUrl, drifted)
    const run = await autotest(dir, [...flags, '-o', 'out.json', '-o', 'out.xml'], keyed)
    const { summary, cases, repairs } = JSON.parse(read(dir, 'out.json'))
    const flaky = cases.find(({ id }: { id: string }) => id === 'orders_id')
    expect(flaky).toMatchObject({ outcome: 'failed', label: 'flaky', repaired: false, retries: 0 })
    expect(flaky.repeat).toMatchObject({ asked: 6, flaky: true })
    expect(flaky.repeat.passed).toBeGreaterThan(0)
    expect(flaky.repeat.passed).toBeLessThan(6)
    expect(flaky.repeat.passAt['1']).toBeCloseTo(flaky.repeat.passed / 6, 12)
    expect(flaky.repeat.passAt['6']).toBe(1)
    expect(run.out).toMatch(new RegExp(`FLAKY orders_id: .*${flaky.repeat.passed} of 6 correct`))
    expect(summary).toMatchObject({ repaired: 2, failed: 1, flaky: 1, repeat: { times: 6, cases: 3 } })
    expect(repairs.map(({ cases: of }: { cases: string[] }) => of)).toEqual([['gmv_id', 'gmv_th']])
    expect(read(dir, snippetPath)).toContain("AND status = 'paid'")
    expect(run.code).toBe(1)
    expect(read(dir, 'out.xml')).toContain('type="flaky"')
    // Nobody was asked for a plan against chance.
    expect(asks(server, 'repairer')).toHaveLength(1)
    expect(asks(server, 'repairer')[0]?.prompt).not.toMatch(
      /Failing[\s\S]*ID orders in November 2025[\s\S]*# /,
    )

    const again = await autotest(dir, ['--no-repair', '--repeat', '2'], keyed)
    expect(again.out).toContain('pass@2=')
    const shown = await autotest(dir, ['runs', 'show', 'last'])
    expect(shown.out).toContain('asked 2 times each')
    const ids = (await autotest(dir, ['runs', 'list'])).out.match(/r-[0-9a-f]+/g) ?? []
    const diff = await autotest(dir, ['runs', 'diff', ids[1] ?? '', ids[0] ?? ''])
    expect(diff.out).toMatch(/orders_id \(flaky, \d of 6 correct/)
    expect(diff.out).toMatch(/pass@1 0\.\d\d → /)
  })

  it('is counted without the answers that broke, alike in every report', async () => {
    const cut = { raw: (response: ServerResponse) => void response.writeHead(200).end('<html>') }
    let asked = 0
    const server = await startChatServer(
      (about) => {
        if (!about.prompt.includes('ID orders')) return sqlFromSnippets(about)
        asked++
        if (asked === 3) return cut
        const wrong = saysSql('SELECT 0 AS wrong')
        return asked % 2 === 0 ? wrong : sqlFromSnippets(about)
      },
      { key: modelKey },
    )
    onTestFinished(() => server.close())
    const dir = llmProject(server.baseUrl)
    const files = ['-o', 'out.json', '-o', 'out.xml', '-o', 'out.md']
    const run = await autotest(dir, ['--repeat', '5', '--concurrency', '1', '--no-repair', ...files], keyed)
    const { summary, cases } = JSON.parse(read(dir, 'out.json'))
    const counted = cases.find(({ id }: { id: string }) => id === 'orders_id')
    expect(counted.repeat).toMatchObject({ asked: 4, passed: 2, broken: 1 })
    expect(counted.cause).toBe('2 of 4 correct, 1 error')
    expect(summary.repeat).toMatchObject({ least: 4, times: 5, broken: 1 })
    expect(run.out).toMatch(/^FLAKY orders_id: .*2 of 4 correct, 1 error$/m)
    expect(run.out).toMatch(/ repeat=5 broken=1 /)
    for (const file of ['out.xml', 'out.md']) {
      expect(read(dir, file)).toContain('2 of 4 correct, 1 error')
      expect(read(dir, file)).not.toContain('2 of 5')
    }
  })

  it('is not repaired where it alone fails', async () => {
    const server = await serve()
    const dir = llmProject(server.baseUrl)
    const run = await autotest(dir, flags, keyed)
    expect(run.out).toMatch(/total=3 passed=2 repaired=0 failed=1 .*flaky=1/)
    expect([run.code, asks(server, 'repairer').length, server.asked.length]).toEqual([1, 0, 18])
  })
})

describe('the budget', () => {
  it('counts every repetition, is announced, and covers each case before any is asked again', async () => {
    const server = await serve()
    const dir = llmProject(server.baseUrl, drifted)
    const run = await autotest(dir, ['--repeat', '5', '--max-llm-calls', '10', '--no-commit'], keyed)
    expect(run.err).toContain('asking 3 cases 5 times needs at least 15 calls: --max-llm-calls 15')
    expect(server.asked).toHaveLength(10)
    expect(run.out).toMatch(/total=3 .*repeat=4 pass@1=0.2222 pass@3=0.3333 llm_calls=10 .*exit=4/)
    expect(run.code).toBe(4)
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
  })
})

describe('recordings', () => {
  it('hold every repetition', async () => {
    const server = await serve()
    const dir = llmProject(server.baseUrl, drifted)
    const args = [
      '--repeat',
      '4',
      '--repairer',
      'llm',
      '--max-llm-calls',
      '200',
      '--dry-run',
      '-o',
      'out.json',
    ]
    await autotest(dir, [...args, '--record', 'taped'], keyed)
    const recorded = JSON.parse(read(dir, 'out.json'))
    await server.close()
    const replayed = await autotest(dir, [...args, '--replay', 'taped'])
    expect(replayed.err).toBe('')
    expect(withoutTimes(JSON.parse(read(dir, 'out.json')))).toEqual(withoutTimes(recorded))
    expect(recorded.summary).toMatchObject({ pending: 2, flaky: 1, repeat: { times: 4 } })
  })
})

describe('a run that was killed', () => {
  it('goes on with the answers that are missing, whatever the agent', async () => {
    const agent = loggingAgent(`await pause(60)
  return { type: 'sql', sql: 'SELECT 0 AS wrong' }`)
    const dir = smallProject({
      'autotest.config.yaml': `engine: sqlite:shop.sqlite\nas_of: 2025-12-31\nagent: { kind: module, path: agents/slow.mjs }\nlimits: { concurrency: 2 }\n`,
      'agents/slow.mjs': agent,
    })
    const asked = (): number => read(dir, 'asked.log').split('\n').length - 1
    const running = start(dir, ['--no-repair', '--repeat', '8'])
    await reached(() => asked() >= 12)
    running.kill('SIGKILL')
    await running.ended
    const database = new Database(`${dir}/reports/autotest.db`)
    const { kept } = database.prepare('SELECT count(*) AS kept FROM answers').get() as { kept: number }
    database.close()
    const before = asked()
    expect(kept).toBeGreaterThan(0)
    const resumed = await autotest(dir, ['--resume'])
    expect(asked() - before).toBe(24 - kept)
    expect(resumed.out).toContain(`resumed: ${kept} of 24 answers are already known`)
    expect(resumed.out).toMatch(/total=3 passed=0 .*failed=3 .*repeat=8/)
  })

  it('does not pay for a repetition twice', async () => {
    const server = await serve(60)
    const dir = llmProject(server.baseUrl, drifted)
    const running = start(dir, flags, keyed)
    await reached(() => server.asked.length >= 10)
    running.kill('SIGINT')
    const ended = await running.ended
    expect(ended.code).toBe(130)
    const resumed = await autotest(dir, ['--resume', '--no-commit'], keyed)
    expect(resumed.out).toContain('REPAIRED metric gmv')
    const total = Number(/llm_calls=(\d+)/.exec(resumed.out)?.[1])
    // What was under way when it was stopped is charged for, whether or not it had reached the server.
    expect(total - server.asked.length).toBeGreaterThanOrEqual(0)
    expect(total - server.asked.length).toBeLessThanOrEqual(4)
    expect(resumed.out).toMatch(/repeat=6/)
  })

  it('does not go on in another way', async () => {
    const server = await serve(60)
    const dir = llmProject(server.baseUrl, drifted)
    const running = start(dir, flags, keyed)
    await reached(() => server.asked.length >= 3)
    running.kill('SIGINT')
    await running.ended
    const resumed = await autotest(dir, ['--resume', '--repeat', '2'], keyed)
    expect(resumed.err).toMatch(/--repeat 2: run r-\w+ was started with --repeat 6/)
    expect(resumed.code).toBe(2)
  })
})

describe('--repeat', () => {
  const repeated = async (setting: string) => {
    const server = await startChatServer(sqlFromSnippets, { key: modelKey })
    onTestFinished(() => server.close())
    const dir = llmProject(server.baseUrl)
    const config = read(dir, 'autotest.config.yaml').replace('model: tiny', `model: tiny, ${setting}`)
    write(dir, 'autotest.config.yaml', config)
    const run = await autotest(dir, ['--no-repair', '--repeat', '3', '--id', 'gmv_id'], keyed)
    return { run, asked: server.asked }
  }

  it('sends each repetition another seed, the same ones in every run', async () => {
    const { run, asked } = await repeated('seed: 40')
    expect(run.code).toBe(0)
    expect(asked.map(({ seed }) => seed)).toEqual([40, 41, 42])
  })

  it('asks a model at temperature 0 once, says so, and names no chance to pass', async () => {
    const { run, asked } = await repeated('temperature: 0')
    expect(run.err).toContain(
      'is asked at temperature 0: its answers would not be independent, so every case is asked once',
    )
    expect([run.code, asked.length, run.out.includes('pass@')]).toEqual([0, 1, false])
  })

  it('asks an agent that is deterministic once, and says so', async () => {
    const run = await autotest(smallProject(), ['--repeat', '5'])
    expect(run.err).toContain('agent template is deterministic: every case is asked once')
    expect(run.out).toMatch(/total=3 passed=3 .*exit=0/)
    expect(run.out).not.toContain('pass@')
  })

  it.each(['0', '-1', '1.5', '101', 'often'])('refuses %s', async (times) => {
    const run = await autotest(smallProject(), [`--repeat=${times}`])
    expect(run.err).toContain('--repeat')
    expect(run.code).toBe(2)
  })
})

async function reached(condition: () => boolean): Promise<void> {
  const holds = (): boolean => {
    try {
      return condition()
    } catch {
      return false
    }
  }
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10))
}
