import { isDeepStrictEqual } from 'node:util'
import type { SqlCase } from '../../benchmark/case.js'
import type { QueryLimits } from '../../engine/contract/engine.js'
import { keepUnlessFailed } from '../../platform/keep-unless-failed.js'
import type { Judge, JudgedPair } from './judge.js'

export interface JudgeCalibrationOptions {
  /** The judge without earlier judgements: whoever answers today is what is tested. */
  readonly judge: Judge
  /** Cases of the benchmark, whose expected queries make the pairs with a known truth. */
  readonly cases: readonly SqlCase[]
  readonly limits: QueryLimits
  readonly onNote: (text: string) => void
}

/** Returns why a judge is not used; undefined if it passed its test, which is made once. */
export type JudgeCalibration = (pair: JudgedPair) => Promise<string | undefined>

/** How many other cases are tried for a query with different rows. */
const maxTried = 10

/**
 * Creates the test that a judge has to pass in each run before its first judgement: two pairs of this benchmark whose
 * truth is known, each in both orders. One is an expected query within a subquery, which is equal, the other has other
 * rows. A judge that gets one wrong is not used.
 */
export function createJudgeCalibration(options: JudgeCalibrationOptions): JudgeCalibration {
  const results = new Map<'fault', Promise<string | undefined>>()
  return (pair) =>
    keepUnlessFailed(results, 'fault', async () => {
      const found = await findFault(pair, options)
      if (found !== undefined) options.onNote(`the judge is not used in this run: ${found}`)
      return found
    })
}

/** Returns what the judge gets wrong; undefined if it passes. */
async function findFault(
  pair: JudgedPair,
  { judge, cases, limits }: JudgeCalibrationOptions,
): Promise<string | undefined> {
  const { expected, engine } = pair
  const rowsOf = async (sql: string): Promise<unknown> => {
    const outcome = await engine.query(sql, limits)
    return outcome.kind === 'rows' ? outcome.result.rows : undefined
  }
  const rows = await rowsOf(expected)
  const same = `SELECT * FROM (\n${expected.trim().replace(/;$/, '')}\n) AS q`
  const test = (generated: string, differences: string) => judge.decide({ ...pair, generated, differences })
  if (rows !== undefined && isDeepStrictEqual(await rowsOf(same), rows)) {
    const { answer, reason } = await test(same, 'the second query selects everything from the first')
    if (answer !== 'equivalent')
      return `it does not call a query equivalent to itself in a subquery (${answer}: ${reason})`
  }
  const other = await otherQuery(pair, cases, async (sql) => {
    const others = await rowsOf(sql)
    return others !== undefined && rows !== undefined && !isDeepStrictEqual(others, rows)
  })
  const { answer, reason } = await test(other, 'the second query is another one')
  return answer === 'not'
    ? undefined
    : `it does not tell two queries with different rows apart (${answer}: ${reason})`
}

/** Returns the expected query of another case whose rows differ; without one, the query without any rows. */
async function otherQuery(
  { expected, testCase }: JudgedPair,
  cases: readonly SqlCase[],
  differs: (sql: string) => Promise<boolean>,
): Promise<string> {
  const comparable = cases.filter(
    (each) => each.engine === testCase.engine && each.dialect === testCase.dialect && each.id !== testCase.id,
  )
  for (const { expectedSql } of comparable.slice(0, maxTried))
    if (await differs(expectedSql)) return expectedSql
  return `SELECT * FROM (\n${expected.trim().replace(/;$/, '')}\n) AS q WHERE 1 = 0`
}
