import { describe, expect, it } from 'vitest'
import type { Verdict } from '../../src/contracts/score.js'
import { plainReport } from '../../src/report/console/plain-log.js'
import { consoleReport } from '../../src/report/console/run-outcome.js'
import { runsDiffLines } from '../../src/report/console/runs.js'
import { githubAnnotations } from '../../src/report/github-annotations.js'
import { reportOf } from '../../src/report/json.js'
import { junitReport } from '../../src/report/junit.js'
import { markdownReport } from '../../src/report/markdown.js'
import {
  benchmarkRepeatStatistics,
  passAtK,
  repeatStatisticsOf,
  wilsonInterval,
} from '../../src/report/repeat-statistics.js'
import type { RunDetail } from '../../src/store/record-types.js'
import { caseRecord, failingCase, run } from './fixtures.js'

/** The share of draws of k answers, of all there are, that hold a right one. */
function byCounting(n: number, c: number, k: number): number {
  let draws = 0
  let hits = 0
  for (let set = 0; set < 2 ** n; set++) {
    const drawn = Array.from({ length: n }, (_, at) => at).filter((at) => (set >> at) & 1)
    if (drawn.length !== k) continue
    draws++
    if (drawn.some((at) => at < c)) hits++
  }
  return hits / draws
}

describe('pass@k', () => {
  it('is the share of all draws of k answers that hold a right one', () => {
    for (let n = 1; n <= 9; n++)
      for (let c = 0; c <= n; c++)
        for (let k = 1; k <= n; k++) expect(passAtK(n, c, k)).toBeCloseTo(byCounting(n, c, k), 12)
  })
})

describe("Wilson's interval", () => {
  // Brown, Cai, DasGupta 2001 and R's prop.test(correct = FALSE).
  it.each([
    [8 / 10, 10, 0.4902, 0.9433],
    [0, 10, 0, 0.2775],
    [1, 10, 0.7225, 1],
    [15 / 50, 50, 0.191, 0.4375],
  ])('of %d in %i', (share, n, low, high) => {
    const [from, to] = wilsonInterval(share, n)
    expect(from).toBeCloseTo(low, 3)
    expect(to).toBeCloseTo(high, 3)
  })

  it('of nothing is everything', () => {
    expect(wilsonInterval(0, 0)).toEqual([0, 1])
  })
})

const answers = (text: string): Verdict[] =>
  [...text].map((letter) => ({ p: 'pass', f: 'fail', e: 'error' })[letter] as Verdict)

const flaky = {
  ...failingCase,
  label: 'flaky',
  cause: '3 of 5 correct',
  answers: answers('pfpfp'),
} as const
const detail: RunDetail = {
  run: { ...run, total: 3 },
  cases: [
    caseRecord('steady', { answers: answers('ppppp') }),
    flaky,
    caseRecord('wrong', { ...failingCase, caseId: 'wrong', answers: answers('fffff') }),
  ],
  attempts: [],
}
const screen = { width: 120, color: false }

describe('reports of cases that were asked repeatedly', () => {
  it('say k of n, the chances and their interval', () => {
    expect(repeatStatisticsOf(flaky)).toMatchObject({ asked: 5, passed: 3, broken: 0, flaky: true })
    expect(benchmarkRepeatStatistics(detail)).toMatchObject({ times: 5, cases: 3, alwaysRight: 1, flaky: 1 })
    expect([...(benchmarkRepeatStatistics(detail)?.passAt ?? [])]).toEqual([
      [1, expect.closeTo((1 + 0.6 + 0) / 3, 12)],
      [5, expect.closeTo(2 / 3, 12)],
    ])
  })

  it('do not count answers that broke as wrong ones', () => {
    expect(repeatStatisticsOf({ answers: answers('ppe'), label: undefined })).toMatchObject({
      asked: 2,
      passed: 2,
      broken: 1,
      passAt: new Map([
        [1, 1],
        [2, 1],
      ]),
    })
    expect(repeatStatisticsOf({ answers: answers('ee'), label: undefined })).toMatchObject({
      asked: 0,
      passAt: new Map(),
      interval: [0, 1],
    })
  })

  it('count flaky cases among the failed ones', () => {
    const { summary, cases } = reportOf(detail)
    expect(summary).toMatchObject({
      total: 3,
      passed: 1,
      failed: 2,
      flaky: 1,
      repeat: { times: 5, flaky: 1 },
    })
    expect(cases[1]).toMatchObject({
      label: 'flaky',
      repeat: { asked: 5, passed: 3, passAt: { 1: 0.6, 5: 1 }, verdicts: answers('pfpfp') },
    })
    expect(reportOf({ ...detail, cases: [failingCase] }).summary.repeat).toBeUndefined()
  })

  it('give the chance of as many answers as each case has', () => {
    const cases = [
      caseRecord('a', { answers: answers('pppp') }),
      caseRecord('b', { answers: answers('fffp') }),
      caseRecord('c', { answers: answers('pe') }),
    ]
    const { times, least, passAt } = benchmarkRepeatStatistics({ cases }) ?? {}
    expect([times, least, passAt]).toEqual([4, 1, new Map([[1, expect.closeTo(2.25 / 3, 12)]])])
  })

  it('in every format', () => {
    const text = consoleReport(detail, screen).join('\n')
    expect(text).toContain('answers         3 of 5 correct · pass@1 0.60 (95% 0.23–0.88) · pass@5 1.00')
    expect(text).toContain('asked 5 times each · 1 of 3 always correct · 1 flaky · pass@1 0.53 (95%')
    const plain = plainReport(detail).join('\n')
    expect(plain).toMatch(/^FLAKY dau_id_monthly: .*3 of 5 correct$/m)
    expect(plain).toMatch(/total=3 passed=1 .*failed=2 .*flaky=1 repeat=5 pass@1=0.5333 pass@5=0.6667/)
    const junit = junitReport(detail)
    expect(junit).toContain('failures="2"')
    expect(junit).toContain('type="flaky"')
    expect(junit).toContain(
      '<property name="answers" value="3 of 5 correct, pass@1 0.60 (95% 0.23–0.88), pass@5 1.00"/>',
    )
    expect(junit).toMatch(/<property name="repeat" value="asked 5 times each, 1 of 3 always correct, 1 flaky/)
    const markdown = markdownReport(detail)
    expect(markdown).toContain('failed, flaky')
    expect(markdown).toContain('- answers: 3 of 5 correct · pass')
    expect(githubAnnotations(detail)[0]).toContain('title=dau_id_monthly flaky')
  })

  it('say of answers that broke the same in every format', () => {
    const some = {
      ...detail,
      cases: [
        caseRecord('steady', { answers: answers('ppppp') }),
        { ...flaky, cause: '2 of 4 correct, 1 error', answers: answers('pfepf') },
        caseRecord('down', { ...failingCase, caseId: 'down', outcome: 'errored', answers: answers('eeeee') }),
      ],
    }
    const each = 'answered 4 to 5 times each, 6 errors'
    const text = consoleReport(some, screen).join('\n')
    expect(text).toContain('answers         2 of 4 correct, 1 error · pass@1 0.50')
    expect(text).toContain(`${each} · 1 of 2 always correct · 1 flaky`)
    expect(markdownReport(some)).toContain('- answers: 2 of 4 correct, 1 error · pass')
    expect(markdownReport(some)).toContain(each)
    expect(junitReport(some)).toContain('value="2 of 4 correct, 1 error, pass@1 0.50')
    expect(junitReport(some)).toContain(`value="${each}, 1 of 2 always correct`)
    expect(plainReport(some).join('\n')).toMatch(/ repeat=5 broken=6 pass@1=0\.7500 pass@4=1\.0000/)
    const { summary, cases } = reportOf(some)
    expect(summary.repeat).toMatchObject({ times: 5, least: 4, broken: 6, cases: 2, alwaysRight: 1 })
    expect(cases[1]?.repeat).toMatchObject({ asked: 4, passed: 2, broken: 1 })
  })

  it('compare how often answers were right', () => {
    const later = { ...detail, cases: [caseRecord('dau_id_monthly', { answers: answers('ppppp') })] }
    const text = runsDiffLines(detail, later, screen).join('\n')
    expect(text).toContain('dau_id_monthly (flaky, 3 of 5 correct → 5 of 5 correct)')
    expect(text).toContain('pass@1 0.53 → 1.00')
  })
})
