import { describe, expect, it } from 'vitest'
import { templateAgent } from '../../src/agent/template-agent.js'
import { agentContract, ask, dauFiles, snapshotOf } from '../contracts/agent.contract.js'

const agent = templateAgent({ kbFolder: 'kb' })

describe('template agent', () => {
  agentContract(() => templateAgent({ kbFolder: 'kb' }))

  it('fills the snippet with typed literals and names metric and snippet as read', async () => {
    const sample = await agent.ask(ask('DAU in Indonesia in November 2025'), snapshotOf(dauFiles))
    expect(sample).toMatchObject({
      kind: 'answer',
      text: `SELECT avg(a1) AS dau FROM visits
WHERE day BETWEEN DATE '2025-11-01' AND DATE '2025-11-30' AND market = 'ID'
`,
      read: ['metric:dau', 'snippet:dau.sql'],
    })
  })

  it('names what it read when it abstains after finding the metric', async () => {
    const sample = await agent.ask(ask('DAU in 2025 by device'), snapshotOf(dauFiles))
    expect(sample).toMatchObject({
      kind: 'no_answer',
      message: 'no value for market; no entry of the knowledge base matches: by device',
      read: ['metric:dau', 'snippet:dau.sql'],
    })
  })

  it('read nothing when no metric is named', async () => {
    expect(await agent.ask(ask('refunds in 2025'), snapshotOf(dauFiles))).toMatchObject({
      kind: 'no_answer',
      message: 'no metric for: refunds',
      read: [],
    })
  })

  it('says which file is broken to the question that needs it', async () => {
    const files = { ...dauFiles, 'kb/metrics/dau.yaml': 'metric: dau\naliases: [DAU\nsnippet: dau.sql\n' }
    const sample = await agent.ask(ask('TH DAU in 2025'), snapshotOf(files))
    expect(sample).toMatchObject({
      kind: 'no_answer',
      message: expect.stringContaining('kb/metrics/dau.yaml:'),
    })
  })
})
