import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { templateAgent } from '../../src/agent/template-agent.js'
import { loadBenchmark } from '../../src/benchmark/load.js'
import { parseKnowledgeBase } from '../../src/kb/parse.js'
import { questionKnowledge } from '../../src/kb/question-entries.js'
import { loadSnapshot } from '../../src/snapshot/load.js'
import { createSnapshot, readText } from '../../src/snapshot/snapshot.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const asOf = '2025-12-31'
const { snapshot } = await loadSnapshot(root, ['kb'])
const kb = parseKnowledgeBase(snapshot, 'kb')
const { cases } = await loadBenchmark({
  paths: readdirSync(`${root}/benchmarks`)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `benchmarks/${name}`),
  cwd: root,
})
const known = (question: string) =>
  questionKnowledge(kb, question, asOf, 6, (path) => readText(snapshot, path) ?? '')

describe('the sample', () => {
  it('loses no answer of the template agent, and shows a small part of the knowledge', async () => {
    const encoder = new TextEncoder()
    const agent = templateAgent({ kbFolder: 'kb' })
    const sizes: number[] = []
    for (const { id, question } of cases) {
      const asked = { id, question, dialect: 'duckdb', asOf, sample: 0 } as const
      const { entries } = known(question)
      const shown = createSnapshot(new Map(entries.map(({ path, text }) => [path, encoder.encode(text)])))
      const [whole, part] = await Promise.all([agent.ask(asked, snapshot), agent.ask(asked, shown)])
      const answer = (sample: typeof whole) => (sample.kind === 'answer' ? sample.text : sample.kind)
      expect([id, answer(part)]).toEqual([id, answer(whole)])
      sizes.push(entries.reduce((sum, { text }) => sum + text.length, 0))
    }
    sizes.sort((a, b) => a - b)
    expect(cases.length).toBeGreaterThan(60)
    // The median of the six entries that a search finds is 6,900 characters.
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThan(2200)
  })
})

describe('what a question names', () => {
  it('is its metric with its query, and the passages of notes about their columns', () => {
    const { entries, placeholders } = known('ID ad spend in November 2025')
    expect(entries.map(({ id }) => id).slice(0, 2)).toEqual(['metric:ad_spend', 'snippet:ad_spend.sql'])
    const note = entries.find(({ id }) => id === 'note:ads-and-support.md')
    expect(note?.text).toContain('**House campaigns**')
    expect(note?.text).not.toContain('Spam')
    expect(placeholders).toEqual([
      { name: 'by', meaning: 'the sql of the value that the question names, not quoted; else platform' },
      { name: 'market', meaning: 'the code of the value that the question names, as a text literal' },
      {
        name: 'period.start',
        meaning: 'of the period that the question names, its first day, as a date literal',
      },
      {
        name: 'period.end',
        meaning: 'of the period that the question names, its last day, as a date literal',
      },
    ])
  })

  it('is searched for where no metric explains its words', () => {
    expect(known('how long do customers wait for a first reply?').entries.map(({ id }) => id)).toContain(
      'metric:first_reply_time',
    )
    expect(known('the weather in Paris').entries).toEqual([])
  })
})

it('metrics that are named come before those that are found, whatever the order of their files', () => {
  const metric = (name: string, alias: string) =>
    `metric: ${name}\ntitle: ${name}\naliases: [${alias}]\nsnippet: ${name}.sql\nparameters: {}\n`
  const files = {
    'kb/metrics/a.yaml': metric('a', 'shipped parcels'),
    'kb/metrics/z.yaml': metric('z', 'returns'),
    'kb/snippets/a.sql': 'SELECT 1 AS parcels\n',
    'kb/snippets/z.sql': 'SELECT 2 AS returned\n',
  }
  const small = createSnapshot(
    new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)])),
  )
  const shown = (most: number) =>
    questionKnowledge(parseKnowledgeBase(small, 'kb'), 'returns of parcels', asOf, most, (path) =>
      String(readText(small, path)),
    ).entries.map(({ id }) => id)
  expect(shown(2)).toEqual(['metric:z', 'snippet:z.sql', 'metric:a', 'snippet:a.sql'])
  expect(shown(1)).toEqual(['metric:z', 'snippet:z.sql'])
})
