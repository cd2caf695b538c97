import type { SqlCase } from '../../benchmark/case.js'
import { type RepairContext, tokensOf } from '../knowledge.js'
import type { RepairPlan } from '../plan.js'
import type { VerifyContext } from '../verify/context.js'

export interface Unsettled {
  readonly label: 'suspect_oracle' | 'wrong_definition'
  readonly cause: string
}

/**
 * What the database has against a plan that replaces a code in several metrics. The cases agree on the code; whether they
 * or the knowledge are what is stale, only rows can tell: there must be some of the new code, and in some case none of the
 * old one. Undefined where that is so, and for other plans.
 */
export async function unsettledCode(
  { edits, cases }: RepairPlan,
  context: RepairContext & Pick<VerifyContext, 'distinguishes'>,
): Promise<Unsettled | undefined> {
  const renames = edits.flatMap((edit) =>
    edit.kind === 'edit_metric' && edit.action === 'rename' ? [edit] : [],
  )
  const [first, second] = renames
  if (first === undefined || second === undefined) return undefined
  const [from, to] = [String(first.at.at(-1)), String(first.value)]
  const found = await Promise.all(cases.map((testCase) => rowsOf(testCase, from, to, context)))
  if (found.some(({ hasNew, hasOld }) => hasNew && !hasOld)) return undefined
  return found.some(({ hasNew }) => hasNew)
    ? {
        label: 'wrong_definition',
        cause: `the cases of several metrics expect '${to}' where the knowledge base has '${from}', and the database has rows of both: a person has to decide`,
      }
    : {
        label: 'suspect_oracle',
        cause: `its expected query asks for '${to}', of which the database has no rows, and the knowledge base has '${from}' in ${renames.length} metrics`,
      }
}

/** Whether the case's query finds something, and whether it does with the old code. */
async function rowsOf(
  testCase: SqlCase,
  from: string,
  to: string,
  context: RepairContext & Pick<VerifyContext, 'distinguishes'>,
): Promise<{ hasNew: boolean; hasOld: boolean }> {
  const former = { ...testCase, expectedSql: withText(testCase, to, from, context) }
  const [hasNew, hasOld] = await Promise.all([
    context.distinguishes(testCase, former),
    context.distinguishes(former, testCase),
  ])
  return { hasNew, hasOld }
}

/** The expected query with another text in place of one. */
function withText(testCase: SqlCase, text: string, other: string, context: RepairContext): string {
  const { expectedSql } = testCase
  const tokens = tokensOf(expectedSql, context.expectedDialect(testCase), context.parser)
  let [written, at] = ['', 0]
  for (const { kind, value, start, end } of tokens) {
    if (kind !== 'string' || value !== text) continue
    written += `${expectedSql.slice(at, start)}'${other.replaceAll("'", "''")}'`
    at = end
  }
  return written + expectedSql.slice(at)
}
