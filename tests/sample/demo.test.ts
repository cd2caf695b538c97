import { readFileSync } from 'node:fs'
import { diffLines } from 'diff'
import { describe, expect, it } from 'vitest'
import { loadDrifts } from '../../src/app/demo/drift.js'
import { driftedFiles, drifts } from './drifts.js'
import { sampleCases, sampleMetrics } from './sample-files.js'
import { samplePath } from './sample-root.js'

const each = drifts.map((drift) => [drift.id, drift] as const)

const testsDrifts = await loadDrifts(samplePath('demo/tests-drift.yaml'))

describe('the drifts of the demo', () => {
  it('come from at least six classes, at least four of them from 1 to 10', () => {
    const numbers = new Set(drifts.map((drift) => Number.parseInt(drift.class, 10)).filter(Number.isFinite))
    expect(numbers.size).toBeGreaterThanOrEqual(6)
    expect([...numbers].filter((number) => number <= 10).length).toBeGreaterThanOrEqual(4)
  })

  it('hit siblings together at least once', () => {
    expect(drifts.filter((drift) => drift.metrics.length > 1 && drift.edits.length > 1)).not.toEqual([])
  })

  it('touch different metrics and fail different cases', () => {
    const metrics = drifts.flatMap((drift) => drift.metrics)
    const cases = drifts.flatMap((drift) => drift.cases)
    expect(new Set(metrics).size).toBe(metrics.length)
    expect(new Set(cases).size).toBe(cases.length)
  })

  it('rest on one case at least once and on several in most drifts', () => {
    const repairable = drifts.filter((drift) => drift.expect === 'repaired')
    const single = repairable.filter((drift) => drift.cases.length === 1)
    expect(single.length).toBeGreaterThanOrEqual(1)
    expect(single.length).toBeLessThan(repairable.length / 2)
  })

  it.each(each)('%s edits places that stand exactly once', (_id, drift) => {
    expect(driftedFiles(drift).size).toBeGreaterThan(0)
  })

  it.each(each)('%s names metrics and cases of the sample', (_id, drift) => {
    const ids = new Set(sampleCases.map(({ id }) => id))
    expect(drift.metrics.filter((metric) => !sampleMetrics.has(metric))).toEqual([])
    expect(drift.cases.filter((id) => !ids.has(id))).toEqual([])
  })

  it.each(each)('%s allows a repair no more lines than it changed itself', (_id, drift) => {
    const changed = { added: 0, removed: 0 }
    for (const [file, text] of driftedFiles(drift)) {
      for (const part of diffLines(text, readFileSync(file, 'utf8'))) {
        if (part.added) changed.added += part.count
        if (part.removed) changed.removed += part.count
      }
    }
    const expected = drift.expect === 'repaired' ? changed : { added: 0, removed: 0 }
    expect(drift.max_changed_lines).toEqual(expected)
  })

  it.each(each)('%s changes knowledge where it is repairable, a benchmark where it is not', (_id, drift) => {
    const folder = drift.expect === 'repaired' ? 'kb/' : 'benchmarks/'
    expect(drift.edits.filter(({ file }) => !file.startsWith(folder))).toEqual([])
    expect(drift.cause === 'suspect_oracle').toBe(drift.expect === 'needs_person')
  })
})

describe('docs/demo.md', () => {
  const text = readFileSync('docs/demo.md', 'utf8')

  it('lists the drifts as they are', () => {
    const rows = drifts.map(({ id, class: name, metrics, cases, expect: end, cause }) => {
      const verb = end === 'repaired' ? 'repair it' : 'leave it to a person'
      return `| \`${id}\` | ${name} | ${metrics.join(', ')} | ${cases.length} | ${verb}: ${cause.replace('_', ' ')} |`
    })
    const [sql = '', tests = ''] = text.split('## Unit tests')
    expect(sql.split('\n').filter((line) => line.startsWith('| `'))).toEqual(rows)
    const rest = testsDrifts.map(({ id, class: name, cases, expect: end, cause }) => {
      const verb = end === 'repaired' ? 'repair it' : 'leave it to a person'
      return `| \`${id}\` | ${name} | ${cases.length} | ${verb}: ${cause.replace('_', ' ')} |`
    })
    expect(tests.split('\n').filter((line) => line.startsWith('| `'))).toEqual(rest)
  })

  it('explains each drift', () => {
    expect(drifts.filter(({ id }) => !text.includes(`**\`${id}\`**`))).toEqual([])
  })
})
