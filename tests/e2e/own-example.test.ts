import { afterAll, describe, expect, it } from 'vitest'
import { driftedNote, goodNote, notePath, noteProject, revenueCase } from './note-project.js'
import { autotest, removeFolders } from './sample.js'
import { read } from './small-project.js'

afterAll(removeFolders)

const example = 'Example: revenue of VN in October 2025\n\n```sql\nSELECT sum'
const withExample = (note: string): string => note.replace('```sql\nSELECT sum', example)
const own = revenueCase('own', 'Revenue of VN in October 2025?', 'VN', '2025-10-01', '2025-10-31')
const other = revenueCase('other', 'ID revenue in November 2025', 'ID', '2025-11-01', '2025-11-30')
const third = revenueCase('third', 'TH takings in December 2025', 'TH', '2025-12-01', '2025-12-31')

async function run(note: string, cases: string) {
  const dir = noteProject({ [notePath]: note }, '', cases)
  const files = ['out.json', 'out.md', 'out.xml', 'out.html'].flatMap((file) => ['-o', file])
  const ended = await autotest(dir, ['--no-commit', '--reporter', 'console', ...files])
  return { dir, ...ended, report: JSON.parse(read(dir, 'out.json')) }
}

describe('a case whose question stands beside a query in what the agent read', () => {
  it('is marked in every report where it passes', async () => {
    const { dir, code, out, report } = await run(withExample(goodNote), own + other)
    expect(code).toBe(0)
    const place = 'kb/notes/sales.md:9'
    expect(report.cases.map((each: { ownExample?: string }) => each.ownExample)).toEqual([
      place,
      undefined,
      undefined,
    ])
    expect(out).toMatch(/Answered from their own example\n {2}own: kb\/notes\/sales\.md:9\n/)
    expect(read(dir, 'out.md')).toContain(`## Answered from their own example (1)\n\n- \`own\`: \`${place}\``)
    expect(read(dir, 'out.xml')).toContain(`<property name="ownExample" value="${place}"/>`)
    const why = await autotest(dir, ['why', 'own'])
    expect(why.out).toContain(`answered from its own example (${place})`)
  })

  it('is no evidence for a repair: neither a second case, nor one that is held out', async () => {
    const { dir, code, report } = await run(withExample(driftedNote), own + other)
    expect([code, read(dir, notePath)]).toEqual([1, withExample(driftedNote)])
    const causes = report.cases.map((each: { cause?: string }) => each.cause)
    expect(causes[0]).toContain('its question stands beside a query at kb/notes/sales.md:9')
    expect(causes[1]).toContain('a second case with other values is needed')
  })

  it('is repaired with two others, which prove the repair', async () => {
    const { code, report } = await run(withExample(driftedNote), own + other + third)
    expect(code).toBe(0)
    expect(report.repairs).toMatchObject([
      { grade: 'E2', evidence: { target: { passed: 2, of: 2 }, heldOut: { passed: 2, of: 2 } } },
    ])
  })
})
