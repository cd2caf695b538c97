import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { Sqlite as Database } from '../../../src/platform/sqlite.js'
import { type Policy, startChatServer } from '../../llm/chat-server.js'
import { addsMissingFilter, byRole, sqlFromSnippets } from '../../llm/policies.js'
import { autotest, removeFolders, start } from '../sample.js'
import { drifted, driftedSnippet, read, snippetPath } from '../small-project.js'
import { keyed, llmProject, modelKey } from './project.js'
import { withoutTimes } from './without-times.js'

afterAll(removeFolders)

async function serve(repairer: Policy = addsMissingFilter, latencyMs?: number) {
  const server = await startChatServer(byRole({ sql: sqlFromSnippets, repairer }), {
    key: modelKey,
    ...(latencyMs === undefined ? {} : { latencyMs }),
  })
  onTestFinished(() => server.close())
  return server
}

const llmOnly = ['--repairer', 'llm', '--no-commit']

/** What `--max-tokens` would have to be. */
function enoughIn(err: string): number {
  return Number(/--max-tokens (\d+)/.exec(err)?.[1])
}

describe('a budget', () => {
  it('takes the calls that docs/budget.md says for one repaired case', async () => {
    const server = await serve()
    const dir = llmProject(server.baseUrl, drifted)
    const run = await autotest(dir, [...llmOnly, '--id', 'gmv_id'], keyed)
    expect(run.out).toContain('REPAIRED metric gmv')
    const [selected, failing, target, heldOut, twins, unselected, touched] = [1, 1, 1, 0, 4, 2, 1]
    const formula = selected + 2 * failing + 1 + 3 * (target + heldOut + twins) + unselected + touched
    expect(server.asked.length).toBe(formula)
    // No prompt is asked again but for the independent answers that prove something: three of one at most.
    const asked = new Map<string, number>()
    for (const { prompt } of server.asked) asked.set(prompt, (asked.get(prompt) ?? 0) + 1)
    expect(Math.max(...asked.values())).toBe(3)
    expect([...asked.values()].filter((times) => times === 3)).toHaveLength(failing + target + twins)
    expect([...asked.values()].filter((times) => times === 1)).toHaveLength(1 + unselected + touched)
  })

  it('that does not cover the baseline measures what it covers, repairs nothing, says what is needed: exit 4', async () => {
    const server = await serve()
    const dir = llmProject(server.baseUrl, drifted)
    const run = await autotest(dir, [...llmOnly, '--max-llm-calls', '2'], keyed)
    expect(run.err).toContain('the budget of 2 LLM calls does not cover all cases')
    expect(run.err).toContain('--max-llm-calls 3')
    expect(run.out).toMatch(/total=3 .* skipped=1 llm_calls=2 .* exit=4/)
    expect([run.code, server.asked.length, read(dir, snippetPath)]).toEqual([4, 2, driftedSnippet])
  })

  it('advises a size by what an answer took, which is enough when it is followed', async () => {
    const again: Policy = (asked) =>
      asked.messages.length > 2 ? sqlFromSnippets(asked) : { text: 'let me think' }
    const server = await startChatServer(again, { key: modelKey })
    onTestFinished(() => server.close())
    const dir = llmProject(server.baseUrl)
    const base = ['--no-repair', '--concurrency', '1']
    const short = await autotest(dir, [...base, '--max-llm-calls', '4'], keyed)
    expect(short.code).toBe(4)
    const advice = /--max-llm-calls (\d+)(?!.*--max-llm-calls)/.exec(short.err)?.[1]
    expect(advice).toBe('6')
    const resumed = await autotest(dir, ['--resume', '--max-llm-calls', advice ?? ''], keyed)
    expect([resumed.code, resumed.err]).toEqual([0, expect.not.stringContaining('does not cover')])
    // From the beginning as well.
    const whole = await autotest(dir, [...base, '--max-llm-calls', advice ?? '', '--db', 'other.db'], keyed)
    expect([whole.code, whole.err]).toEqual([0, expect.not.stringContaining('does not cover')])
  })

  it('of which the role may take too little says before the first call how large all of it would have to be', async () => {
    const server = await serve()
    const dir = llmProject(server.baseUrl, drifted, 'budget: { llm_calls: 4, shares: { sql: 0.5 } }\n')
    const { err } = await autotest(dir, llmOnly, keyed)
    expect(err).toContain('--max-llm-calls 6, of which the role sql may use 0.5')
  })

  it('that covers the baseline, but surely no repair, says so before the first call, and how much is missing', async () => {
    const server = await serve()
    const told = async (calls: number, ...flags: string[]) => {
      const dir = llmProject(server.baseUrl, drifted)
      const { err } = await autotest(dir, [...flags, '--no-commit', '--max-llm-calls', String(calls)], keyed)
      return err
    }
    const one = ['--id', 'gmv_id', '--repairer']
    // Its failure twice more, a plan, three answers with it, and the two cases that the filter left out.
    const short = await told(8, ...one, 'llm')
    expect(short).toContain(
      'the budget of 8 LLM calls covers asking 1 case once, but no repair: one needs at least 8 more (--max-llm-calls 9)',
    )
    expect(short.indexOf('but no repair')).toBeLessThan(short.indexOf('does not cover verifying'))
    expect(await told(9, ...one, 'llm')).not.toContain('but no repair')
    expect(await told(7, ...one, 'rules,llm')).toContain('needs at least 7 more')
    expect(await told(5, ...one, 'llm', '--repeat', '3')).toContain('asking 1 case 3 times, but no repair')
    expect(await told(3, ...one, 'llm', '--max-retries', '0')).not.toContain('but no repair')
    expect(await told(3, '--no-repair')).not.toContain('but no repair')
  })

  it('of tokens says which flag raises it', async () => {
    const server = await serve()
    const run = await autotest(llmProject(server.baseUrl), ['--no-repair', '--max-tokens', '10'], keyed)
    expect(run.err).toContain('the budget of 10 tokens does not cover another call')
    expect(run.err).toMatch(/and it may need \d{3,}: nothing is repaired \(Raise it with --max-tokens/)
    expect(run.err).not.toContain('--max-llm-calls')
    expect([run.code, server.asked.length]).toEqual([4, 0])
  })

  it.each([
    ['--max-tokens', '10', 'tokens', 1],
    ['--max-cost', '0.001', 'money', 0.0001],
  ])(
    'of %s says before the first call how much covers all cases, and that much does',
    async (flag, low, unit, step) => {
      const server = await serve()
      const dir = llmProject(server.baseUrl, {}, 'limits: { concurrency: 1 }\n')
      const short = await autotest(dir, ['--no-repair', flag, low], keyed)
      expect(short.err).toContain(
        `the budget of ${low} ${unit} does not cover all cases: 3 calls need about `,
      )
      expect(short.err.indexOf('does not cover all cases')).toBeLessThan(short.err.indexOf('another call'))
      const enough = Number(new RegExp(`${flag} ([\\d.]+)`).exec(short.err)?.[1])
      expect([short.code, server.asked.length]).toEqual([4, 0])
      const run = await autotest(dir, ['--no-repair', flag, String(enough)], keyed)
      expect([run.code, run.err, server.asked.length]).toEqual([0, '', 3])
      const less = await autotest(dir, ['--no-repair', flag, (enough - step).toFixed(4)], keyed)
      expect(less.err).toContain(
        `the budget of ${Number((enough - step).toFixed(4))} ${unit} does not cover all cases`,
      )
    },
  )

  it('of tokens counts what is left of a resumed run, what was spent, and the share of the role', async () => {
    const server = await serve()
    const dir = llmProject(server.baseUrl, {}, 'limits: { concurrency: 1 }\n')
    const first = await autotest(dir, ['--no-repair', '--repeat', '3', '--max-tokens', '6300'], keyed)
    const [asked, needed] = [server.asked.length, enoughIn(first.err)]
    expect([first.code, asked > 0 && asked < 9]).toEqual([4, true])
    const again = await autotest(dir, ['--resume'], keyed)
    expect(again.err).toContain(`${9 - asked} calls need about`)
    // The server counts no more than the estimate, which knows nothing of what was spent before.
    expect(enoughIn(again.err)).toBeLessThanOrEqual(needed)
    expect((await autotest(dir, ['--resume', '--max-tokens', String(enoughIn(again.err))], keyed)).code).toBe(
      0,
    )
    expect(server.asked.length).toBe(9)
    const config = read(dir, 'autotest.config.yaml')
    writeFileSync(join(dir, 'autotest.config.yaml'), `${config}budget: { shares: { sql: 0.5 } }\n`)
    const shared = await autotest(dir, ['--no-repair', '--repeat', '3', '--max-tokens', '6300'], keyed)
    expect(enoughIn(shared.err)).toBe(2 * needed)
    expect(shared.err).toContain('of which the role sql may use 0.5')
  })

  it('of tokens covers as many questions at once as one after the other: what is set aside comes back', async () => {
    const answered: number[] = []
    for (const concurrency of [1, 4]) {
      const server = await serve(undefined, 50)
      const dir = llmProject(server.baseUrl, {}, `limits: { concurrency: ${concurrency} }\n`)
      await autotest(dir, ['--no-repair', '--max-tokens', '9000'], keyed)
      answered.push(server.asked.length)
    }
    expect(answered).toEqual([3, 3])
  })

  it('of a role says that its share is to be raised', async () => {
    const server = await serve()
    const dir = llmProject(server.baseUrl, {}, 'budget: { llm_calls: 40, shares: { sql: 0.05 } }\n')
    const run = await autotest(dir, ['--no-repair'], keyed)
    expect(run.err).toContain('does not cover another call (the share of sql is 0.05)')
    expect(run.err).toContain('Raise `budget.shares.sql` in autotest.config.yaml')
    expect(run.code).toBe(4)
  })

  it.each([
    ['a definition that is missing', 'roles: { repairer: { definition: none.yaml } }', /none\.yaml/],
    [
      'a model without a price, with a limit of cost',
      'roles: { repairer: { model: dear } }',
      /dear has no price/,
    ],
  ])('is not spent before what repairs is known to be usable: %s', async (_, roles, problem) => {
    const server = await serve()
    const dir = llmProject(server.baseUrl, drifted)
    const config = read(dir, 'autotest.config.yaml').replace(
      'roles: { sql: { model: tiny } }',
      roles.replace('{ repairer', '{ sql: { model: tiny }, repairer'),
    )
    writeFileSync(join(dir, 'autotest.config.yaml'), config)
    const run = await autotest(dir, ['--max-cost', '1'], keyed)
    expect([run.code, server.asked.length]).toEqual([2, 0])
    expect(run.err).toMatch(problem)
    expect((await autotest(dir, ['--no-repair', '--max-cost', '1'], keyed)).code).toBe(1)
  })

  it.each([0, 1, 3, 5, 7, 8, 14, 20, 26, 30, 60])(
    'of %i calls is never exceeded, and nothing is applied unverified',
    async (most) => {
      const server = await serve()
      const dir = llmProject(server.baseUrl, drifted)
      const run = await autotest(dir, [...llmOnly, '--max-llm-calls', String(most)], keyed)
      expect(server.asked.length).toBeLessThanOrEqual(most)
      const repaired = read(dir, snippetPath) !== driftedSnippet
      expect([repaired, run.code]).toEqual(most >= 26 ? [true, 0] : [false, 4])
    },
  )
})

describe('a run that was killed', () => {
  it('goes on without paying twice for an answer that it had', async () => {
    const server = await serve(addsMissingFilter, 60)
    const dir = llmProject(server.baseUrl, drifted)
    const running = start(dir, llmOnly, keyed)
    while (server.asked.length < 10) await new Promise((resolve) => setTimeout(resolve, 10))
    running.kill('SIGKILL')
    await running.ended
    const database = new Database(`${dir}/reports/autotest.db`)
    const paid = database.prepare('SELECT count(*) AS count FROM llm_calls').get() as { count: number }
    database.close()
    const before = server.asked.length
    const resumed = await autotest(dir, ['--resume', '--no-commit'], keyed)
    expect(resumed.out).toContain('REPAIRED metric gmv')
    // What was under way when it was killed is all that can have been asked in vain.
    expect(paid.count).toBeGreaterThan(0)
    const answers = server.asked.map(({ messages, count }) => ({ text: JSON.stringify(messages), count }))
    const total = Number(/llm_calls=(\d+)/.exec(resumed.out)?.[1])
    expect(total).toBe(paid.count + server.asked.length - before)
    expect(answers.length - total).toBeLessThanOrEqual(8)
  })
})

describe('recordings', () => {
  it('replay a repair run to the same report, without a server and without a key', async () => {
    const server = await serve()
    const dir = llmProject(server.baseUrl, drifted)
    const args = ['--repairer', 'llm', '--dry-run', '-o', 'out.json']
    await autotest(dir, [...args, '--record', 'taped'], keyed)
    const recorded = JSON.parse(read(dir, 'out.json'))
    await server.close()
    const replayed = await autotest(dir, [...args, '--replay', 'taped'])
    expect(replayed.err).toBe('')
    expect(withoutTimes(JSON.parse(read(dir, 'out.json')))).toEqual(withoutTimes(recorded))
    expect(recorded.summary.pending).toBe(2)
  })

  it('a miss names case and role, and asks nobody', async () => {
    const server = await serve()
    const dir = llmProject(server.baseUrl)
    mkdirSync(join(dir, 'nothing'))
    const run = await autotest(dir, ['--no-repair', '--replay', 'nothing'], keyed)
    expect(run.err).toMatch(/contains no recording of case \w+ for the role sql/)
    expect([run.code, server.asked.length]).toEqual([2, 0])
  })
})
