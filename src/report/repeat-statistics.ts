import type { Verdict } from '../contracts/score.js'
import type { CaseRecord, RunDetail } from '../store/record-types.js'
import { plural } from './format-text.js'

/** Lower and upper bound, from 0 to 1. */
export type Interval = readonly [number, number]

/** Statistics of repeated answers to one case. */
export interface RepeatStatistics {
  /** Number of answers that count: infrastructure errors that were not asked again do not. */
  readonly asked: number
  readonly passed: number
  readonly broken: number
  readonly flaky: boolean
  /** By k: the probability that one of k answers is right. */
  readonly passAt: ReadonlyMap<number, number>
  /** Confidence interval of the share of right answers, at 95%. */
  readonly interval: Interval
}

/** The same statistics over the cases of a run. */
export interface BenchmarkRepeatStatistics {
  /** The maximal number of answers of a case. */
  readonly times: number
  /** The minimal number: smaller if a budget ended, or answers were infrastructure errors. */
  readonly least: number
  /** Number of answers of all cases that were infrastructure errors. */
  readonly broken: number
  readonly cases: number
  readonly alwaysRight: number
  readonly flaky: number
  /** Means over the cases, for k of 1 and of as many answers as each case has. */
  readonly passAt: ReadonlyMap<number, number>
  /**
   * Confidence interval of pass@1, at 95%, according to the number of cases: answers to one case are no
   * independent questions, so that asking more often does not make it narrower.
   */
  readonly interval: Interval
}

/**
 * Returns the probability that at least one of k answers is right, from n answers of which c are: 1 - C(n-c,
 * k) / C(n, k), which is unbiased, while 1 - (1 - c/n)^k is not. Chen et al., "Evaluating Large Language
 * Models Trained on Code", 2021.
 *
 * @param k from 1 to n
 */
export function passAtK(n: number, c: number, k: number): number {
  let none = 1
  for (let drawn = 0; drawn < k; drawn++) none *= Math.max(0, n - c - drawn) / (n - drawn)
  return 1 - none
}

/** Quantile of the normal distribution for 95%, two-sided. */
const z = 1.959964

/**
 * Returns Wilson's score interval for a share of n trials (Wilson 1927): within 0 and 1 even if the share is
 * 0 or 1.
 */
export function wilsonInterval(share: number, n: number): Interval {
  if (n === 0) return [0, 1]
  const scale = 1 + (z * z) / n
  const center = share + (z * z) / (2 * n)
  const spread = z * Math.sqrt((share * (1 - share)) / n + (z * z) / (4 * n * n))
  return [Math.max(0, (center - spread) / scale), Math.min(1, (center + spread) / scale)]
}

/** Returns the statistics of a case; undefined if it was asked once. */
export function repeatStatisticsOf({
  answers,
  label,
}: Pick<CaseRecord, 'answers' | 'label'>): RepeatStatistics | undefined {
  if (answers === undefined) return undefined
  const count = (verdict: Verdict): number => answers.filter((each) => each === verdict).length
  const passed = count('pass')
  const broken = count('error')
  const asked = answers.length - broken
  const passAt = new Map(
    [1, asked].filter((k) => k >= 1 && k <= asked).map((k) => [k, passAtK(asked, passed, k)]),
  )
  const interval = wilsonInterval(asked === 0 ? 0 : passed / asked, asked)
  return { asked, passed, broken, flaky: label === 'flaky', passAt, interval }
}

/** Returns the statistics of a run; undefined if its cases were asked once. */
export function benchmarkRepeatStatistics({
  cases,
}: Pick<RunDetail, 'cases'>): BenchmarkRepeatStatistics | undefined {
  const repeated = cases.flatMap((record) => repeatStatisticsOf(record) ?? [])
  const all = repeated.filter(({ asked }) => asked > 0)
  if (all.length === 0) return undefined
  const times = Math.max(...all.map(({ asked }) => asked))
  const least = Math.min(...all.map(({ asked }) => asked))
  const mean = (k: number): number =>
    all.reduce((sum, { asked, passed }) => sum + passAtK(asked, passed, k), 0) / all.length
  const passAt = new Map([1, least].map((k) => [k, mean(k)]))
  return {
    times,
    least,
    broken: repeated.reduce((sum, { broken }) => sum + broken, 0),
    cases: all.length,
    alwaysRight: all.filter(({ asked, passed }) => passed === asked).length,
    flaky: all.filter(({ flaky }) => flaky).length,
    passAt,
    interval: wilsonInterval(passAt.get(1) ?? 0, all.length),
  }
}

/** Returns `3 of 5 correct`; `2 of 4 correct, 1 error` if one of five answers is an infrastructure error. */
export function formatAnswerCounts({ passed, asked, broken }: RepeatStatistics): string {
  return `${passed} of ${asked} correct${broken === 0 ? '' : `, ${plural(broken, 'error')}`}`
}

/** Returns `pass@1 0.60 (95% 0.23–0.88)`, `pass@5 1.00`. */
export function formatPassAt({ passAt, interval }: Pick<RepeatStatistics, 'passAt' | 'interval'>): string[] {
  const [low, high] = interval.map((bound) => bound.toFixed(2))
  return [...passAt].map(
    ([k, share]) => `pass@${k} ${share.toFixed(2)}${k === 1 ? ` (95% ${low}–${high})` : ''}`,
  )
}

/**
 * Returns `asked 5 times each`, or `answered 4 to 5 times each, 3 errors`; `40 of 48 always correct`, `3
 * flaky`, and the probabilities; empty if each case was asked once.
 */
export function formatBenchmarkRepeats(detail: Pick<RunDetail, 'cases'>): string[] {
  const repeats = benchmarkRepeatStatistics(detail)
  if (repeats === undefined) return []
  const { times, least, broken, cases, alwaysRight, flaky } = repeats
  const range = least === times ? times : `${least} to ${times}`
  const each =
    broken === 0 ? `asked ${range} times each` : `answered ${range} times each, ${plural(broken, 'error')}`
  const before = detail.cases.some(({ outcome }) => outcome === 'repaired') ? ', before the repairs' : ''
  return [
    `${each}${before}`,
    `${alwaysRight} of ${cases} always correct`,
    `${flaky} flaky`,
    ...formatPassAt(repeats),
  ]
}
