import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { autotest, removeFolders, sampleCopy } from '../e2e/sample.js'

interface Audit {
  readonly summary: {
    readonly cases: number
    readonly mutants: { readonly tried: number; readonly undecided: number }
  }
  readonly findings: readonly {
    readonly kind: string
    readonly subject: string
    readonly text: string
    readonly mutants?: readonly { readonly words: string }[]
  }[]
  readonly cases: readonly { readonly id: string; readonly equivalent: readonly string[] }[]
}

/** The rows of the two tables: case, mutant, reason. */
const listed = [
  ...readFileSync('docs/audit.md', 'utf8').matchAll(/^\| `([\w-]+)` \| `(.+?)` \| (.{10,}) \|$/gmu),
].map(([, id = '', words = '']) => `${id}: ${words}`)

afterAll(removeFolders)

// One audit without copies takes about ten seconds; which of the two tables a mutant is in, copies would tell.
describe('docs/audit.md', () => {
  let report: Audit
  beforeAll(async () => {
    const ended = await autotest(sampleCopy(), ['audit', '--fuzz', '0', '--reporter', 'json'])
    if (ended.out === '')
      throw new Error(`autotest audit printed nothing and exited with ${ended.code}: ${ended.err}`)
    report = JSON.parse(ended.out) as Audit
  }, 400_000)

  it('lists every mutant that survives on the sample, with a reason', () => {
    const survivors = report.findings.flatMap(({ subject, mutants = [] }) =>
      mutants.map(({ words }) => `${subject}: ${words}`),
    )
    expect(report.summary.mutants.tried).toBeGreaterThan(2000)
    // One that multiplies rows is not waited for beyond five seconds, which a busy machine may take.
    expect(report.summary.mutants.undecided).toBeLessThan(report.summary.mutants.tried / 100)
    expect(survivors.filter((survivor) => !listed.includes(survivor))).toEqual([])
  })

  it('lists none that the sample’s data show', () => {
    const unseen = new Set([
      ...report.findings.flatMap(({ subject, mutants = [] }) =>
        mutants.map(({ words }) => `${subject}: ${words}`),
      ),
      ...report.cases.flatMap(({ id, equivalent }) => equivalent.map((words) => `${id}: ${words}`)),
    ])
    expect(listed.length).toBeGreaterThan(0)
    expect(listed.filter((one) => !unseen.has(one))).toEqual([])
  })

  it('says truly that the sample has no other finding', () => {
    const others = report.findings.filter(({ kind }) => kind !== 'survivors')
    expect(others.map(({ kind, subject, text }) => `${kind} ${subject}: ${text}`)).toEqual([])
  })
})
