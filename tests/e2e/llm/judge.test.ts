import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { Sqlite as Database } from '../../../src/platform/sqlite.js'
import {
  type Asked,
  type ChatServer,
  type Policy,
  type Said,
  startChatServer,
} from '../../llm/chat-server.js'
import { byRole, roleOf, sqlFromSnippets } from '../../llm/policies.js'
import { autotest, removeFolders } from '../sample.js'
import { append, goodSnippet, read, snippetPath, write } from '../small-project.js'
import { keyed, llmProject, modelKey } from './project.js'

afterAll(removeFolders)

const config = 'autotest.config.yaml'

/** A condition that holds in every row there is, so that rows agree and the structure does not say why. */
const redundant = goodSnippet.replace("  AND status = 'paid'\n", "  AND status = 'paid'\n  AND amount > -1\n")

/** Passes the test of a run, and judges as `judge` does. */
const tested =
  (judge: Policy): Policy =>
  (asked) => {
    if (asked.prompt.includes('selects everything from the first')) return vote('equivalent')
    return asked.prompt.includes('the second query is another one') ? vote('not') : judge(asked)
  }
const isTest = ({ prompt }: Asked): boolean =>
  /selects everything from the first|the second query is another one/.test(prompt)

async function serve(judge: Policy): Promise<ChatServer> {
  const server = await startChatServer(byRole({ sql: sqlFromSnippets, judge: tested(judge) }), {
    key: modelKey,
  })
  onTestFinished(() => server.close())
  return server
}

function project(server: ChatServer): string {
  const dir = llmProject(server.baseUrl, {
    [snippetPath]: redundant,
    [config]: `engine: sqlite:shop.sqlite
as_of: 2025-12-31
agent: { kind: llm }
llm:
  base_url: ${server.baseUrl}
  key_env: TEST_MODEL_KEY
  roles: { sql: { model: tiny }, judge: { model: tiny }, repairer: { model: tiny } }
`,
  })
  return dir
}

const vote = (answer: string): Said => ({ answer: { answer, reason: 'no amount is negative' } })
const votes = (server: ChatServer): number =>
  server.asked.filter((each) => roleOf(each) === 'judge' && !isTest(each)).length
const flags = ['--no-repair', '--fuzz', '0', '--id', 'gmv_id', '-o', 'out.json']

describe('a judge', () => {
  it('is asked twice, with the queries in swapped order, and decides what nothing else can', async () => {
    const server = await serve(() => vote('equivalent'))
    const dir = project(server)
    const run = await autotest(dir, flags, keyed)
    expect([run.code, run.err]).toEqual([0, ''])
    const [one, other] = server.asked
      .filter((each) => roleOf(each) === 'judge' && !isTest(each))
      .map(({ prompt }) => prompt)
    const first = (prompt = ''): string => /# First query\n([\s\S]*?)# Second query/.exec(prompt)?.[1] ?? ''
    expect(votes(server)).toBe(2)
    expect([first(one).includes('amount > '), first(other).includes('amount > ')]).toEqual([false, true])
    const report = JSON.parse(read(dir, 'out.json'))
    expect(report.cases[0]).toMatchObject({ verdict: 'pass' })
    expect(report.cases[0].reason).toContain('judged equivalent: no amount is negative')
    expect(report.llm.map(({ role, calls }: { role: string; calls: number }) => [role, calls])).toEqual([
      // Two pairs with a known truth, each in both orders, and the one that it decides.
      ['judge', 6],
      ['sql', 1],
    ])
  })

  it('whose votes do not agree is not sure, and a person decides', async () => {
    const server = await serve(({ prompt }) =>
      vote(/# First query\n[\s\S]*amount > [\s\S]*# Second query/.test(prompt) ? 'equivalent' : 'not'),
    )
    const dir = project(server)
    const run = await autotest(dir, flags, keyed)
    expect(votes(server)).toBe(2)
    expect(run.out).toMatch(/UNPROVEN gmv_id: .*judged not sure: two votes, .* disagree/)
    expect(run.code).toBe(1)
  })

  it('that says they are not makes a failure, of which a person is told', async () => {
    const server = await serve(() => vote('not'))
    const run = await autotest(project(server), flags, keyed)
    expect(run.out).toMatch(/FAIL gmv_id: .*judged not equivalent: no amount is negative/)
    expect(run.code).toBe(1)
  })
})

describe("a judge's word", () => {
  const screen = ['--no-repair', '--fuzz', '0', '--id', 'gmv_id']

  it('is shown as that, with its reason, wherever the verdict is', async () => {
    const server = await serve(() => vote('equivalent'))
    const dir = project(server)
    const outputs = ['-o', 'out.json', '-o', 'out.md', '-o', 'out.xml']
    const run = await autotest(dir, [...screen, ...outputs], keyed)
    expect(run.out).toMatch(/^PASS gmv_id: judged equivalent: no amount is negative$/m)
    expect(run.out).toMatch(/ judged=1 /)
    const shown = await autotest(dir, ['runs', 'show', 'last'], {})
    expect(shown.out).toMatch(/Passed by the judge\n {2}gmv_id: no amount is negative/)
    expect(shown.out).toContain('1 passed (1 by the judge)')
    expect(JSON.parse(read(dir, 'out.json')).cases[0]).toMatchObject({ judged: 'no amount is negative' })
    expect(read(dir, 'out.md')).toMatch(/## Passed by the judge \(1\)\s+- `gmv_id`: no amount is negative/)
    expect(read(dir, 'out.xml')).toContain('<property name="judge" value="no amount is negative"/>')
  })
})

describe('a judge that cannot judge is not used, and the run says why', () => {
  it.each([
    ['calls everything equivalent', 'equivalent', 'does not tell two queries with different rows apart'],
    ['calls nothing equivalent', 'not', 'does not call a query equivalent to itself in a subquery'],
    ['is never sure', 'unsure', 'does not call a query equivalent to itself in a subquery (unsure'],
  ])('one that %s', async (_name, answer, why) => {
    const server = await startChatServer(byRole({ sql: sqlFromSnippets, judge: () => vote(answer) }), {
      key: modelKey,
    })
    onTestFinished(() => server.close())
    const run = await autotest(project(server), flags, keyed)
    expect(run.code).toBe(1)
    expect(run.out + run.err).toContain(`the judge is not used in this run: it ${why}`)
    expect(run.out).toMatch(/UNPROVEN gmv_id: .*the judge is not used, as it failed its test/)
  })
})

describe('judgements', () => {
  it('are kept for later runs, until the queries, the tables or the judge change', async () => {
    const server = await serve(() => vote('equivalent'))
    const dir = project(server)
    const first = await autotest(dir, flags, keyed)
    const id = /r-[0-9a-f]+/.exec(first.out)?.[0]
    const second = await autotest(dir, flags, keyed)
    expect([votes(server), second.code]).toEqual([2, 0])
    expect(JSON.parse(read(dir, 'out.json')).cases[0].reason).toContain(`judged equivalent in ${id}: `)
    const database = new Database(join(dir, 'shop.sqlite'))
    database.exec('ALTER TABLE orders ADD COLUMN note TEXT')
    database.close()
    await autotest(dir, flags, keyed)
    expect(votes(server)).toBe(4)
    append(dir, 'agents/judge.yaml', '# another judge\n')
    await autotest(dir, flags, keyed)
    expect(votes(server)).toBe(6)
    await autotest(dir, [...flags, '--db', 'other.db'], keyed)
    expect(votes(server)).toBe(8)
  })

  it('of one who never answered are not kept', async () => {
    let asked = 0
    const server = await serve(() => (asked++ < 2 ? { text: 'they are alike' } : vote('equivalent')))
    const dir = project(server)
    const first = await autotest(dir, flags, keyed)
    expect([first.code, votes(server)]).toEqual([1, 2])
    const second = await autotest(dir, flags, keyed)
    expect([second.code, votes(server)]).toEqual([0, 4])
  })

  it('that never come are an error of the judge, which a run that goes on asks again', async () => {
    let down = true
    const server = await serve(() =>
      down
        ? { status: 500, error: { message: 'overloaded' }, headers: { 'retry-after': '0' } }
        : vote('equivalent'),
    )
    const dir = project(server)
    const first = await autotest(dir, flags, keyed)
    expect(first.code).toBe(3)
    expect(JSON.parse(read(dir, 'out.json')).cases[0]).toMatchObject({
      outcome: 'errored',
      verdict: 'error',
      reason: expect.stringMatching(/^judge: tiny at .*HTTP 500.*overloaded/),
    })
    expect(first.err).toMatch(/1 of 1 cases had errors · fix that, .*--resume r-\w+/)
    down = false
    const resumed = await autotest(dir, ['--resume'], keyed)
    expect([resumed.code, resumed.out]).toEqual([0, expect.stringContaining('passed=1')])
    // What its agent had answered was paid for.
    expect(server.asked.filter((each) => roleOf(each) === 'sql')).toHaveLength(1)
  })

  it('are not waited for beyond --max-time', async () => {
    const server = await serve(() => ({ raw: () => undefined }))
    const dir = project(server)
    // Longer than a test may take.
    write(dir, config, `${read(dir, config)}  timeout: 10m\n`)
    const run = await autotest(dir, [...flags, '--max-time', '2s'], keyed)
    expect(run.err).toMatch(/--max-time reached after \d+ s/)
    expect(run.code).toBe(4)
  })

  it('leave recordings whole and replays alone', async () => {
    const server = await serve(() => vote('equivalent'))
    const dir = project(server)
    await autotest(dir, flags, keyed)
    await autotest(dir, [...flags, '--record', 'taped'], keyed)
    expect(votes(server)).toBe(4)
    await server.close()
    const replayed = await autotest(dir, [...flags, '--replay', 'taped', '--db', 'fresh.db'])
    expect([replayed.code, replayed.err]).toEqual([0, ''])
    const reason = JSON.parse(read(dir, 'out.json')).cases[0].reason
    await autotest(dir, [...flags, '--replay', 'taped'])
    expect(JSON.parse(read(dir, 'out.json')).cases[0].reason).toBe(reason)
    expect(reason).toContain('judged equivalent: ')
  })
})
