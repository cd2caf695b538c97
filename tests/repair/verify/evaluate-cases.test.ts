import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Agent } from '../../../src/agent/agent.js'
import { moduleAgent } from '../../../src/agent/module-agent.js'
import { sqlCaseRecorder } from '../../../src/domains/sql/case-recorder.js'
import type { SqlEvaluation } from '../../../src/domains/sql/repair/model/sql-repair-types.js'
import { alwaysPasses } from '../../../src/repair/verify/evaluate-cases.js'
import { evaluatorOf, repair, warehouseForTests } from '../../domains/sql/repair/repair-in-memory.js'
import { caseOf, revenueId, revenueSql, revenueTh, shop, shopWith } from '../../domains/sql/repair/shop.js'
import { snapshotOf } from '../../kb/knowledge-files.js'

const warehouse = warehouseForTests()

const revenue = 'kb/snippets/revenue.sql'
const noStatus = shopWith({ [revenue]: ["  AND status = 'paid'\n", ''] })

async function agentOf(source: string, deterministic: boolean): Promise<Agent> {
  const root = mkdtempSync(join(tmpdir(), 'autotest-repair-agent-'))
  writeFileSync(join(root, 'mine.mjs'), source)
  const options = { path: 'mine.mjs', root, kbFolder: 'kb', timeoutMs: 5000, concurrency: 2, redact: String }
  const agent = await moduleAgent({ ...options, deterministic })
  onTestFinished(async () => {
    await agent.close()
    rmSync(root, { recursive: true, force: true })
  })
  return agent
}

/** Reads the revenue snippet as the template agent would, for November in ID; `{{…}}` of the other kind stay. */
const reader = `import { readFileSync } from 'node:fs'
import { join } from 'node:path'
let asked = 0
const answer = ({ kb, question }) => readFileSync(join(kb, 'snippets/revenue.sql'), 'utf8')
  .replace(/{{ market }}/g, "'" + question.slice(0, 2) + "'")
  .replace(/{{ period.start }}/g, question.includes('October') ? "'2025-10-01'" : question.includes('September') ? "'2025-09-01'" : "'2025-11-01'")
  .replace(/{{ period.end }}/g, question.includes('October') ? "'2025-10-31'" : question.includes('September') ? "'2025-09-30'" : "'2025-11-30'")
`

describe('alwaysPasses', () => {
  it.each([
    ['results', true],
    ['judge', false],
  ] as const)('by %s: %s', async (by, proves) => {
    const evaluator = evaluatorOf(warehouse)
    const evaluation = { ...(await evaluator.evaluate(revenueId, snapshotOf(shop))), ms: 0 }
    const judged = { ...evaluation, score: { verdict: 'pass', by, reason: '' } } as const
    const context = {
      evaluator: { ...evaluator, evaluate: () => Promise.resolve(judged) },
      concurrency: 1,
      signal: new AbortController().signal,
    }
    expect(await alwaysPasses(revenueId, snapshotOf(shop), context)).toBe(proves)
    // Nor does it when the answer is that of an interrupted run.
    const results = {
      kind: 'match',
      judge: by === 'judge' ? { answer: 'equivalent', reason: '' } : undefined,
    } as NonNullable<SqlEvaluation['score']['results']>
    const restored = sqlCaseRecorder.restore(
      { verdict: 'pass', reason: '' },
      { structure: undefined, results, differences: undefined },
    )
    expect(restored.by === 'judge').toBe(!proves)
  })
})

describe('repairFailures with agents of one’s own', () => {
  it('repairs the snippet for an agent that reads only the snippet', async () => {
    const agent = await agentOf(
      `${reader}export default (request) => ({ type: 'sql', sql: answer(request) })`,
      false,
    )
    const { attempts, text } = await repair(warehouse, noStatus, [revenueId], { agent })
    expect(attempts).toMatchObject([{ outcome: 'accepted', grade: 'E1' }])
    expect(text(revenue)).toBe(shop[revenue])
  })

  it('never repairs a case that is answered now right, now wrong', async () => {
    const source = `${reader}export default (request) => ({ type: 'sql', sql: answer(request).replace('sum(amount)', asked++ % 2 === 0 ? 'sum(tax)' : 'sum(amount)') })`
    const { result, attempts, baseline } = await repair(warehouse, shop, [revenueId], {
      agent: await agentOf(source, false),
    })
    expect(baseline.get('revenue_id')).toMatchObject({ flaky: true })
    expect(attempts).toEqual([])
    expect(result.findings.size).toBe(0)
  })

  it('requires every answer of a nondeterministic agent to be right before a repair counts', async () => {
    const source = `${reader}const asks = new Map()
    export default (request) => {
      const sql = answer(request)
      if (sql.includes('paid')) asks.set(request.question, (asks.get(request.question) ?? 0) + 1)
      return { type: 'sql', sql: asks.get(request.question) === 2 ? 'SELECT 1' : sql }
    }`
    const { attempts } = await repair(warehouse, noStatus, [revenueId], {
      agent: await agentOf(source, false),
    })
    expect(attempts.map(({ outcome }) => outcome)).not.toContain('accepted')
  })

  it('does not treat what broke during verification as a wrong answer: the plan is neither refused nor accepted', async () => {
    const source = `${reader}export default (request) => {
      const sql = answer(request)
      if (sql.includes('paid')) throw new Error('the gateway is down')
      return { type: 'sql', sql }
    }`
    const agent = await agentOf(source, true)
    const { result, attempts, text } = await repair(warehouse, noStatus, [revenueId], { agent })
    expect(attempts).toEqual([])
    expect(text(revenue)).toBe(noStatus[revenue])
    expect(result.unverified[0]).toMatch(/^case revenue_id: agent: .*the gateway is down/)
    expect(result.findings.get('revenue_id')?.cause).toMatch(/; not verified: case revenue_id: agent: /)
    expect(result.findings.get('revenue_id')?.retries).toBe(0)
  })

  it('asks once more where it broke once, and never treats a case that breaks as passing', async () => {
    const once = `${reader}let broke = false
    export default (request) => {
      const sql = answer(request)
      if (sql.includes('paid') && !broke) { broke = true; throw new Error('one hiccup') }
      return { type: 'sql', sql }
    }`
    const { attempts } = await repair(warehouse, noStatus, [revenueId], { agent: await agentOf(once, true) })
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
    const other = `${reader}export default (request) => {
      const sql = answer(request)
      if (request.id === 'all_time' && sql.includes('paid')) throw new Error('down for this one')
      return { type: 'sql', sql: request.id === 'all_time' ? 'SELECT count(*) AS sales FROM sales WHERE is_test = 0' : sql }
    }`
    const all = caseOf('all_time', 'all time sales', 'SELECT count(*) AS sales FROM sales WHERE is_test = 0')
    const agent = await agentOf(other, true)
    const { result, attempts: none } = await repair(warehouse, noStatus, [revenueId, all], { agent })
    expect(none).toEqual([])
    expect(result.accepted).toEqual([])
    expect(result.unverified[0]).toContain('case all_time: agent: ')
  })

  it('does not blame a repair for a case that was unsure before', async () => {
    const source = `${reader}export default (request) => {
      if (!request.question.includes('units')) return { type: 'sql', sql: answer(request) }
      return { type: 'sql', sql: asked++ === 0 ? 'SELECT count(*) FROM sales' : 'SELECT 1' }
    }`
    const shaky = caseOf('shaky', 'units of all time', 'SELECT count(*) FROM sales')
    const { attempts } = await repair(warehouse, noStatus, [revenueId, shaky], {
      agent: await agentOf(source, false),
    })
    expect(attempts).toMatchObject([{ outcome: 'accepted' }])
  })

  it('leaves an agent that ignores right knowledge to a person', async () => {
    const agent = await agentOf(
      `export default () => ({ type: 'sql', sql: 'SELECT sum(tax) FROM sales' })`,
      true,
    )
    const { result, attempts } = await repair(warehouse, shop, [revenueId, revenueTh], { agent })
    expect(attempts).toEqual([])
    expect(result.findings.get('revenue_id')).toMatchObject({
      label: 'ignored_context',
      cause: expect.stringContaining('already matches the expected query'),
    })
  })

  it('never repairs where the expected query itself fails', async () => {
    const broken = caseOf('broken', revenueId.question, 'SELECT sum(no_such_column) FROM sales')
    const { result, baseline } = await repair(warehouse, shop, [broken])
    expect(baseline.get('broken')?.evaluation.score).toMatchObject({
      verdict: 'error',
      errorCause: 'suspect_oracle',
    })
    expect(result.findings.size).toBe(0)
  })

  it('never repairs what is only unproven', async () => {
    const nothing = caseOf(
      'nothing',
      'BN revenue in November 2025',
      revenueSql('BN', '2025-11-01', '2025-11-30'),
    )
    const { result, attempts, baseline } = await repair(warehouse, noStatus, [nothing])
    expect(baseline.get('nothing')?.evaluation.score.verdict).toBe('unproven')
    expect([attempts.length, result.findings.size]).toEqual([0, 0])
  })

  it('rejects what turns an unproven case into a wrong one', async () => {
    const old = revenueSql('TH', '2025-08-01', '2025-08-31').replace("status = 'paid' AND ", '')
    const unproven = { ...revenueTh, expectedSql: old.replace('sum(amount)', 'sum(amount) * 1.0') }
    const { attempts, baseline } = await repair(warehouse, noStatus, [revenueId, unproven])
    expect(baseline.get('revenue_th')?.evaluation.score.verdict).toBe('unproven')
    expect(attempts).toMatchObject([{ outcome: 'rejected', evidence: { broken: ['revenue_th'] } }])
  })
})
