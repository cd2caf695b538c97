import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import {
  type ChatServer,
  type ChatServerOptions,
  type Policy,
  startChatServer,
} from '../../llm/chat-server.js'
import { roleOf, saysSql, sqlFromSnippets } from '../../llm/policies.js'
import { autotest, removeFolders } from '../sample.js'
import { drifted, driftedSnippet, read, snippetPath } from '../small-project.js'
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

  it('may answer with a block of SQL between words, which is not asked for again', async () => {
    const dir = llmProject(
      await serve(async (asked) => {
        const said = JSON.stringify(await sqlFromSnippets(asked))
        const sql: string = JSON.parse(said).answer.answer.sql
        return { text: `Here is the query:\n\n\`\`\`sql\n${sql}\n\`\`\`\nIt filters by market.` }
      }),
    )
    const run = await autotest(dir, ['--no-repair'], keyed)
    expect([run.code, run.err]).toEqual([0, ''])
    expect(server?.asked).toHaveLength(3)
  })

  it('asks a failing case again before it calls it a stable failure', async () => {
    const dir = llmProject(await serve(sqlFromSnippets), drifted)
    const run = await autotest(dir, ['--dry-run', '--max-retries', '0'], keyed)
    expect(run.out).toContain("FAIL gmv_id: filter missing: status = 'paid'; 1 of 1 rows differ")
    expect(server?.asked).toHaveLength(3 + 2 * 2)
  })

  it('is asked at once in the way that was found in an earlier run', async () => {
    const dir = llmProject(await serve(sqlFromSnippets, { key: modelKey, refuses: ['response_format'] }))
    const first = await autotest(dir, ['--no-repair', '--concurrency', '1'], keyed)
    expect(first.code).toBe(0)
    const refused = Number(/llm_calls=(\d+)/.exec(first.out)?.[1]) - 3
    expect(refused).toBe(1)
    const second = await autotest(dir, ['--no-repair', '--concurrency', '1'], keyed)
    expect([second.code, second.out]).toEqual([0, expect.stringContaining('llm_calls=3 ')])
    // Another database knows nothing of it.
    const other = await autotest(dir, ['--no-repair', '--concurrency', '1', '--db', 'other.db'], keyed)
    expect(other.out).toContain('llm_calls=4 ')
  })

  it('fails, and is not repaired, where no answer of it can be read', async () => {
    const dir = llmProject(await serve(() => ({ text: 'I would rather talk about the weather.' })), drifted)
    const run = await autotest(dir, ['--id', 'gmv_id', '--no-commit', '-o', 'out.json'], keyed)
    expect(run.out).toMatch(/FAIL gmv_id: .*the weather/)
    expect([run.code, run.out.includes('errored=0')]).toEqual([1, true])
    expect(read(dir, snippetPath)).toBe(driftedSnippet)
    const [found] = JSON.parse(read(dir, 'out.json')).cases
    expect(found).toMatchObject({ verdict: 'fail', answer: 'unreadable', label: 'unreadable_answer' })
    // Only the agent was asked, and no repairer.
    expect(server?.asked.every((asked) => roleOf(asked) === 'sql')).toBe(true)
    const shown = await autotest(dir, ['why', 'gmv_id'], {})
    expect(shown.out).toContain('unreadable answer')
  })

  it('gives no answer where its SQL is nothing but a comment that says why, and is not asked to mend that', async () => {
    const sql = '-- the knowledge base does not say how'
    const dir = llmProject(await serve(() => saysSql(sql)))
    const run = await autotest(dir, ['--no-repair', '--id', 'gmv_id', '-o', 'out.json'], keyed)
    const message = 'the knowledge base does not say how (a comment in place of a query)'
    expect(run.out).toContain(`FAIL gmv_id: no answer: ${message}`)
    expect(server?.asked).toHaveLength(1)
  })

  it('is asked about the database of the case: its tables, its dialect, its errors', async () => {
    const sql = "SELECT count(*) AS tickets FROM tickets WHERE day >= DATE '2025-11-02'"
    const dir = llmProject(await serve(({ prompt }) => saysSql(prompt.includes('duckdb') ? sql : 'SELECT')), {
      'benchmarks/support.yaml': `engine: duckdb:support.duckdb
cases:
  - { id: tickets, question: tickets since 2 November 2025, expected_sql: "${sql}" }
`,
      'kb/metrics/tickets.yaml': 'metric: tickets\naliases: [tickets]\nsnippet: tickets.sql\n',
      'kb/snippets/tickets.sql': `${sql}\n`,
    })
    const instance = await DuckDBInstance.create(join(dir, 'support.duckdb'))
    const connection = await instance.connect()
    await connection.run("CREATE TABLE tickets AS SELECT 1 AS id, DATE '2025-11-02' AS day")
    connection.closeSync()
    instance.closeSync()
    const run = await autotest(dir, ['--no-repair', '--id', 'tickets'], keyed)
    expect(run.out).toContain('total=1 passed=1')
    // One turn: the database took it.
    expect(server?.asked).toHaveLength(1)
    expect(server?.asked[0]?.prompt).toContain('tickets(id INTEGER, day DATE)')
    const compared = await autotest(dir, ['compare', 'tickets'])
    expect(compared.out).toMatch(/equal/)
  })

  it('breaks alone where the database of a case cannot be opened', async () => {
    const dir = llmProject(await serve(sqlFromSnippets), {
      'benchmarks/support.yaml': `engine: sqlite:nowhere.sqlite
cases: [{ id: tickets, question: ID orders, expected_sql: SELECT 1 }]
`,
    })
    const run = await autotest(dir, ['--no-repair'], keyed)
    expect(run.out).toMatch(/ERROR tickets: .*nowhere\.sqlite/)
    expect(run.out).toMatch(/total=4 passed=3 .*errored=1/)
  })

  it('asks about fewer entries than were sent where the prompt is too long', async () => {
    const tooLong = { status: 400, error: { code: 'context_length_exceeded', message: 'too long' } }
    const dir = llmProject(await serve(() => tooLong))
    const run = await autotest(dir, ['--no-repair', '--id', 'gmv_id'], keyed)
    const sizes = server?.asked.map(({ prompt }) => prompt.length) ?? []
    expect(run.err).toContain('asking with 1 entry')
    expect(new Set(sizes).size).toBe(sizes.length)
    expect(sizes.length).toBeGreaterThan(1)
  })
})
