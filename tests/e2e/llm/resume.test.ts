import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type ChatServer, startChatServer } from '../../llm/chat-server.js'
import { addsMissingFilter, byRole, edits, roleOf, sqlFromSnippets } from '../../llm/policies.js'
import { autotest, type Ended, removeFolders, start } from '../sample.js'
import { drifted, driftedSnippet, read, snippetPath } from '../small-project.js'
import { keyed, llmProject, modelKey } from './project.js'
import { withoutTimes } from './without-times.js'

afterAll(removeFolders)

async function serve(latencyMs = 0, repairer = addsMissingFilter): Promise<ChatServer> {
  const server = await startChatServer(byRole({ sql: sqlFromSnippets, repairer }), {
    key: modelKey,
    latencyMs,
  })
  onTestFinished(() => server.close())
  return server
}

const llmOnly = ['--repairer', 'llm', '--no-commit']
const bySql = ({ asked }: ChatServer): number => asked.filter((each) => roleOf(each) === 'sql').length

/** Starts a run and stops it once the server was asked so often. */
async function stopped(
  dir: string,
  args: readonly string[],
  server: ChatServer,
  asks: number,
): Promise<Ended> {
  const running = start(dir, args, keyed)
  while (server.asked.length < asks) await new Promise((resolve) => setTimeout(resolve, 5))
  running.kill('SIGKILL')
  return running.ended
}

describe('a run that goes on', () => {
  it('keeps to the share of each role over both halves', async () => {
    const server = await serve(40)
    const dir = llmProject(server.baseUrl, drifted, 'budget: { llm_calls: 40, shares: { sql: 0.25 } }\n')
    await stopped(dir, llmOnly, server, 5)
    const resumed = await autotest(dir, ['--resume', '--no-commit'], keyed)
    expect(resumed.code).toBe(4)
    expect(resumed.err).toMatch(/share of sql is 0.25|does not cover verifying another plan/)
    expect(bySql(server)).toBeLessThanOrEqual(10)
    expect(Number(/llm_calls=(\d+)/.exec(resumed.out)?.[1])).toBeLessThanOrEqual(10)
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
  })

  it('records into the folder that it began with, so that the whole is replayed', async () => {
    const server = await serve(40)
    const dir = llmProject(server.baseUrl, drifted)
    const args = ['--repairer', 'llm', '--dry-run']
    await stopped(dir, [...args, '--record', 'taped'], server, 9)
    const resumed = await autotest(dir, ['--resume', '-o', 'out.json'], keyed)
    expect(resumed.out).toContain('PLANNED metric gmv')
    const recorded = JSON.parse(read(dir, 'out.json'))
    await server.close()
    const replayed = await autotest(dir, [...args, '--replay', 'taped', '-o', 'out.json'])
    expect(replayed.err).toBe('')
    const { cases, repairs } = JSON.parse(read(dir, 'out.json'))
    const plain = (all: typeof repairs): unknown =>
      withoutTimes(all.map(({ cost: _cost, ...rest }: { cost: unknown }) => rest))
    expect([withoutTimes(cases), plain(repairs)]).toEqual([
      withoutTimes(recorded.cases),
      plain(recorded.repairs),
    ])
  })

  it('cannot be recorded by half', async () => {
    const server = await serve(40)
    const dir = llmProject(server.baseUrl, drifted)
    await stopped(dir, llmOnly, server, 3)
    const resumed = await autotest(dir, ['--resume', '--record', 'taped'], keyed)
    expect(resumed.err).toMatch(/--record .*taped: run r-\w+ was started without --record/)
    expect(resumed.code).toBe(2)
  })

  it.each([0, 8, 16, 24])(
    'ends with 130 where answers are tried %s ms after the first was asked for',
    async (ms) => {
      const server = await serve(5)
      const dir = llmProject(server.baseUrl, drifted)
      const running = start(dir, ['--no-repair'], keyed)
      while (server.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
      await new Promise((resolve) => setTimeout(resolve, ms))
      running.kill('SIGINT')
      const { code, err } = await running.ended
      // The engine that the interrupt closed is not what went wrong.
      expect([code, err]).toEqual([130, expect.not.stringContaining('engine is closed')])
    },
  )

  it('makes plans again that were refused before it stopped', async () => {
    let proposed = 0
    const server = await serve(15, (asked) =>
      proposed++ === 0
        ? edits('tried', [
            { kind: 'edit_snippet', path: snippetPath, search: 'sum(amount)', replace: 'sum(amount + 1)' },
          ])
        : addsMissingFilter(asked),
    )
    const dir = llmProject(server.baseUrl, drifted)
    const running = start(dir, [...llmOnly, '--max-llm-calls', '200'], keyed)
    while (proposed < 2) await new Promise((resolve) => setTimeout(resolve, 5))
    running.kill('SIGINT')
    expect((await running.ended).code).toBe(130)
    const resumed = await autotest(dir, ['--resume', '--no-commit'], keyed)
    expect(resumed.out).toContain('REPAIRED metric gmv')
    expect(resumed.code).toBe(0)
    // The first one is known; the second was under way.
    expect(
      server.asked.filter((each) => roleOf(each) === 'repairer' && !each.prompt.includes('# Tried before')),
    ).toHaveLength(1)
  })

  it('has more to spend where its budget had ended', async () => {
    const server = await serve()
    const dir = llmProject(server.baseUrl, drifted)
    const first = await autotest(dir, [...llmOnly, '--max-llm-calls', '5'], keyed)
    expect(first.code).toBe(4)
    expect(first.err).toMatch(/budget exhausted · continue with a larger one: autotest --resume r-\w+/)
    const resumed = await autotest(dir, ['--resume', '--no-commit', '--max-llm-calls', '60'], keyed)
    expect(resumed.out).toContain('REPAIRED metric gmv')
    expect(resumed.code).toBe(0)
    expect(server.asked).toHaveLength(Number(/llm_calls=(\d+)/.exec(resumed.out)?.[1]))
    const again = await autotest(dir, ['--resume'], keyed)
    expect(again.err).toContain('nothing to resume')
  })
})

describe('a run that is killed as it asks', () => {
  const args = [...llmOnly, '--max-llm-calls', '200']
  const oneByOne = 'limits: { concurrency: 1 }\n'

  it('asks nothing twice but that one question', { timeout: 180_000 }, async () => {
    const whole = await serve()
    const unbroken = await autotest(llmProject(whole.baseUrl, drifted, oneByOne), args, keyed)
    expect(unbroken.out).toContain('REPAIRED metric gmv')
    const calls = whole.asked.length
    expect(calls).toBeGreaterThan(8)
    // Every third takes as much time as a test may; without AUTOTEST_THOROUGH, which the full checks set, every sixth.
    const step = process.env['AUTOTEST_THOROUGH'] === '1' ? 3 : 6
    for (let at = 1; at <= calls; at += step) {
      const policy = byRole({ sql: sqlFromSnippets, repairer: addsMissingFilter })
      let kill = (): void => undefined
      const server = await startChatServer(
        (asked) => {
          if (asked.count !== at) return policy(asked)
          kill()
          return { raw: () => undefined }
        },
        { key: modelKey },
      )
      onTestFinished(() => server.close())
      const dir = llmProject(server.baseUrl, drifted, oneByOne)
      const running = start(dir, args, keyed)
      kill = () => running.kill('SIGKILL')
      await running.ended
      const resumed = await autotest(dir, ['--resume', '--no-commit'], keyed)
      expect([at, resumed.code, server.asked.length]).toEqual([at, 0, calls + 1])
      expect(resumed.out).toContain('REPAIRED metric gmv')
    }
  })
})

describe('a run that ended before it asked failures again', () => {
  const resumeAll = ['--resume', '--max-llm-calls', '200', '--no-commit']

  /** Wrong about GMV at the first answer to each question, right from then on. */
  async function wrongAtFirst(): Promise<ChatServer> {
    const answered = new Map<string, number>()
    const server = await startChatServer(
      byRole({
        sql: async (asked) => {
          const nth = (answered.get(asked.last) ?? 0) + 1
          answered.set(asked.last, nth)
          const reply = await sqlFromSnippets(asked)
          const right = (text: string): string => text.replaceAll('GROUP BY', "AND status = 'paid' GROUP BY")
          return nth > 1 && /GMV/.test(asked.last) ? JSON.parse(right(JSON.stringify(reply))) : reply
        },
        repairer: addsMissingFilter,
      }),
      { key: modelKey },
    )
    onTestFinished(() => server.close())
    return server
  }

  it.each(['3', '4'])(
    'asks them again when it goes on, and repairs nothing that is flaky: --max-llm-calls %s',
    async (calls) => {
      const server = await wrongAtFirst()
      const dir = llmProject(server.baseUrl, drifted)
      const first = await autotest(dir, [...llmOnly, '--max-llm-calls', calls], keyed)
      expect(first.code).toBe(4)
      const resumed = await autotest(dir, resumeAll, keyed)
      expect(resumed.out).toMatch(/FLAKY gmv_id/)
      expect(resumed.out).toMatch(/FLAKY gmv_th/)
      expect(resumed.code).toBe(1)
      expect(read(dir, snippetPath)).toBe(driftedSnippet)
      expect(server.asked).toHaveLength(Number(/llm_calls=(\d+)/.exec(resumed.out)?.[1]))
    },
  )
})

it('a question that is cut off each time is paid for each time: no budget is passed, however often a run goes on', async () => {
  const server = await startChatServer(
    byRole({
      sql: (asked) =>
        asked.last.includes('ID orders in November 2025') ? { raw: () => undefined } : sqlFromSnippets(asked),
    }),
    { key: modelKey },
  )
  onTestFinished(() => server.close())
  const dir = llmProject(server.baseUrl, {}, 'limits: { concurrency: 1 }\n')
  const config = read(dir, 'autotest.config.yaml').replace('timeout: 10s', 'timeout: 1s')
  writeFileSync(join(dir, 'autotest.config.yaml'), config)
  const budget = ['--max-llm-calls', '4']
  const runs = [await autotest(dir, ['--no-repair', ...budget], keyed)]
  for (let again = 0; again < 3; again++) runs.push(await autotest(dir, ['--resume'], keyed))
  const told = runs.map(({ out }) => Number(/llm_calls=(\d+)/.exec(out)?.[1]))
  // Told are those that may have been sent, which on a slow machine is one more than arrived.
  expect(server.asked.length).toBeLessThanOrEqual(Math.max(...told.filter((calls) => !Number.isNaN(calls))))
  expect(Math.max(...told.filter((calls) => !Number.isNaN(calls)))).toBe(4)
})

describe('--max-time', () => {
  it('ends the baseline too: what was answered counts, exit 4, and the rest can follow', async () => {
    const server = await serve(1200)
    const dir = llmProject(server.baseUrl, drifted, 'limits: { concurrency: 1 }\n')
    const run = await autotest(dir, [...llmOnly, '--max-time', '3000ms'], keyed)
    // One at a time, 1.2 s each: on a slow machine fewer.
    expect(server.asked.length).toBeLessThanOrEqual(3)
    expect(run.err).toMatch(/--max-time reached after \d s: \d of 3 cases finished, nothing is repaired/)
    expect(run.out).toMatch(/total=3 .*skipped=[123] .*exit=4/)
    // What was cut off was sent, and is charged for.
    expect(Number(/llm_calls=(\d+)/.exec(run.out)?.[1])).toBeGreaterThanOrEqual(server.asked.length)
    expect([run.code, read(dir, snippetPath)]).toEqual([4, driftedSnippet])
  })

  it('does not turn a case under way into an error', async () => {
    const server = await serve(3000)
    const dir = llmProject(server.baseUrl)
    const run = await autotest(dir, ['--no-repair', '--max-time', '1s'], keyed)
    expect(run.out).toMatch(/total=3 passed=0 .*errored=0 skipped=3 .*exit=4/)
  })
})
