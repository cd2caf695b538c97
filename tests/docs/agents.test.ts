import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { autotest, removeFolders } from '../e2e/sample.js'
import { benchmarkPath, read, smallProject } from '../e2e/small-project.js'
import { startChatServer } from '../llm/chat-server.js'
import { sqlFromSnippets } from '../llm/policies.js'
import { startShownServer } from './node-server.js'
import { pageText, type ShownFile, shownFile, shownYaml } from './page.js'

const page = pageText('docs/agents.md')

afterAll(removeFolders)

const gmvOf = (market: string): string =>
  `SELECT market, sum(amount) AS gmv FROM orders WHERE market = '${market}' AND status = 'paid' AND day BETWEEN '2025-01-01' AND '2025-12-31' GROUP BY market`

const benchmark = `cases:
  - id: gmv_th
    question: TH GMV in 2025
    expected_sql: ${JSON.stringify(gmvOf('TH'))}
  - id: gmv_id
    question: ID GMV in 2025
    expected_sql: ${JSON.stringify(gmvOf('ID'))}
`

function project(config: string, files: readonly ShownFile[], cases = benchmark): string {
  return smallProject({
    'autotest.config.yaml': `engine: sqlite:shop.sqlite\nas_of: 2025-12-31\n${config}`,
    [benchmarkPath]: cases,
    ...Object.fromEntries(files.map(({ path, text }) => [path, text])),
  })
}

async function expectAllPassed(dir: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const { out, err, code } = await autotest(dir, ['--no-repair', '-o', 'out.json'], env)
  expect([err, code], out).toEqual(['', 0])
  expect(JSON.parse(read(dir, 'out.json')).cases).toHaveLength(2)
}

describe('docs/agents.md', () => {
  it('shows the agents of agents/examples', () => {
    for (const name of ['module', 'command']) {
      const file = resolve(import.meta.dirname, `../../agents/examples/${name}-agent.mjs`)
      expect(shownFile(page, name).text).toBe(readFileSync(file, 'utf8'))
    }
  })

  it('configures the template agent', async () => {
    await expectAllPassed(project(shownYaml(page, 'agent: { kind: template'), []))
  })

  it.each(['module', 'command'])('shows a %s agent that answers', async (kind) => {
    await expectAllPassed(project(shownYaml(page, `agent: { kind: ${kind}`), [shownFile(page, kind)]))
  })

  it('shows an http agent that answers, and lets in nobody else', async () => {
    const files = [shownFile(page, 'module'), shownFile(page, 'http')]
    const config = shownYaml(page, 'agent: { kind: http')
    const dir = project(config, files)
    const token = { AGENT_TOKEN: 'tok-4711-secret' }
    const port = await startShownServer(dir, [shownFile(page, 'http').path], token)
    const here = project(config.replace('127.0.0.1:8080', `127.0.0.1:${port}`), files)
    await expectAllPassed(here, token)
    const { code, err } = await autotest(here, ['--no-repair'], { AGENT_TOKEN: 'tok-another-one' })
    expect([code, err]).toEqual([2, expect.stringContaining('rejects the token of AGENT_TOKEN')])
  })

  it('shows the definition of a model that answers', async () => {
    const server = await startChatServer(sqlFromSnippets)
    onTestFinished(() => server.close())
    const config = shownYaml(page, 'agent: { kind: llm')
    expect(config).toContain('http://localhost:11434/v1')
    const repairer = { path: 'agents/repairer.yaml', text: pageText('agents/repairer.yaml') }
    const files = [shownFile(page, 'llm'), repairer]
    const dir = project(config.replace('http://localhost:11434/v1', server.baseUrl), files)
    const check = await autotest(dir, ['agent', 'check'])
    expect([check.err, check.code], check.out).toEqual(['', 0])
    await expectAllPassed(dir)
    expect(server.asked[0]?.prompt).toContain('orders(id INTEGER, market TEXT')
  })

  it('shows a script of replies that answers', async () => {
    const { path, text } = shownFile(page, 'scripted')
    const cases = `cases:
  - id: known
    question: TH GMV in 2025
    expected_sql: SELECT sum(amount) AS gmv FROM orders WHERE market = 'TH' AND status = 'paid'
  - id: unknown
    question: ID GMV in 2025
    expected_sql: SELECT 1
`
    const config = `agent: { kind: llm }\nllm: { roles: { sql: { model: "scripted:${path}" } } }\n`
    const dir = project(config, [{ path, text }, shownFile(page, 'llm')], cases)
    const { out, code } = await autotest(dir, ['--no-repair'])
    expect(out).toContain('FAIL unknown: no answer: I only know Thailand')
    expect([out, code]).toEqual([expect.stringContaining('passed=1'), 1])
  })
})
