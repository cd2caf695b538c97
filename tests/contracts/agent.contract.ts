import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Agent, Question } from '../../src/agent/agent.js'
import { createSnapshot, type Snapshot } from '../../src/snapshot/snapshot.js'

/** A knowledge base of one metric, `dau`, that every agent under this contract answers from. */
export const dauFiles: Readonly<Record<string, string>> = {
  'kb/metrics/dau.yaml': `metric: dau
aliases: [DAU, daily active users]
snippet: dau.sql
parameters:
  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand] } }
  period: { type: date_range }
`,
  'kb/snippets/dau.sql': `SELECT avg(a1) AS dau FROM visits
WHERE day BETWEEN {{ period.start }} AND {{ period.end }} AND market = {{ market }}
`,
}

export function snapshotOf(files: Readonly<Record<string, string>>): Snapshot {
  return createSnapshot(
    new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)])),
  )
}

export function ask(question: string, id = 'case'): Question {
  return { id, question, dialect: 'duckdb', asOf: '2025-12-31', sample: 0 }
}

/**
 * What every agent must do. The one under test answers "TH DAU in 2025" and "ID DAU in 2025" from `dau.sql`, and
 * abstains from everything else.
 */
export function agentContract(open: () => Agent | Promise<Agent>): void {
  describe('as an agent', () => {
    let agent: Agent
    const snapshot = snapshotOf(dauFiles)

    beforeAll(async () => {
      agent = await open()
    })
    afterAll(() => agent.close())

    it('answers with SQL made from the snapshot', async () => {
      const sample = await agent.ask(ask('TH DAU in 2025'), snapshot)
      expect(sample).toMatchObject({ kind: 'answer' })
      if (sample.kind !== 'answer') return
      expect(sample.text).toContain("market = 'TH'")
      expect(sample.text).toContain("'2025-12-31'")
      expect(sample.ms).toBeGreaterThanOrEqual(0)
    })

    it('answers from the snapshot it is given, not from another', async () => {
      const text = (dauFiles['kb/snippets/dau.sql'] ?? '').replace('avg(a1)', 'max(a1)')
      const edited = snapshotOf({ ...dauFiles, 'kb/snippets/dau.sql': text })
      const answers = await Promise.all(
        [snapshot, edited, snapshot].map((each) => agent.ask(ask('TH DAU in 2025'), each)),
      )
      const seen = answers.map((answer) =>
        answer.kind === 'answer' ? /avg|max/.exec(answer.text)?.[0] : answer.kind,
      )
      expect(seen).toEqual(['avg', 'max', 'avg'])
    })

    it('tells answers to several questions at once apart', async () => {
      const markets = ['TH', 'ID', 'TH', 'ID', 'TH']
      const answers = await Promise.all(
        markets.map((market) => agent.ask(ask(`${market} DAU in 2025`, market), snapshot)),
      )
      const seen = answers.map((answer) =>
        answer.kind === 'answer' ? /'(TH|ID)'/.exec(answer.text)?.[1] : answer.kind,
      )
      expect(seen).toEqual(markets)
    })

    it('abstains with a message where the knowledge base has no answer', async () => {
      const sample = await agent.ask(ask('TH refunds in 2025'), snapshot)
      expect(sample).toMatchObject({ kind: 'no_answer', message: expect.stringMatching(/\w/) })
    })

    it('says what it read as ids of entries, or that it may have read all', async () => {
      const sample = await agent.ask(ask('TH DAU in 2025'), snapshot)
      if (sample.kind !== 'answer') throw new Error(`expected SQL, got ${sample.kind}`)
      if (sample.read !== 'all') expect(sample.read).toContain('snippet:dau.sql')
    })

    it('gives a sample for an empty knowledge base too', async () => {
      const sample = await agent.ask(ask('TH DAU in 2025'), snapshotOf({}))
      expect(sample).toMatchObject({ kind: 'no_answer' })
    })
  })
}
