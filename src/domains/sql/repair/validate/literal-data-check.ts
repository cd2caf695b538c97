import type { SqlCase } from '../../../../benchmark/case.js'
import { valueInSlot } from '../../../../kb/entry-slots.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { queriesChangedBy } from '../model/changed-queries.js'
import { formatOf, type RepairContext, slotEditsIn, tokensOf } from '../model/repair-context.js'
import type { ScoringContext } from '../model/scoring-context.js'
import { applyPlan, type RepairPlan } from '../model/sql-repair-types.js'

type Context = RepairContext & Pick<ScoringContext, 'distinguishes'>

export interface LiteralDataProblem {
  readonly label: 'suspect_oracle' | 'wrong_definition'
  readonly cause: string
}

/** One string literal in place of another. */
interface LiteralReplacement {
  readonly from: string
  readonly to: string
}

/**
 * A string that is in no database: in place of a literal, it shows what the query finds without that literal.
 */
const absentText = '\u2205 no such text'

/**
 * Returns evidence in the database against a plan that replaces one string: a code in several metrics, or a
 * literal in snippets. The cases agree on it; only rows can show whether they or the knowledge are outdated.
 * The new string must occur where the old one does; and of a code that is replaced everywhere none may be
 * left. Undefined if that is so.
 */
export async function checkLiteralData(
  plan: RepairPlan,
  snapshot: Snapshot,
  context: Context,
): Promise<LiteralDataProblem | undefined> {
  const code = renamedEnumValue(plan, context)
  const swap = code ?? replacedLiteral(plan, snapshot, context)
  if (swap === undefined) return undefined
  const { from, to } = swap
  const found = await Promise.all(plan.cases.map((testCase) => findRows(testCase, swap, context)))
  const [hasNew, hasOld] = [found.some((each) => each.hasNew), found.some((each) => each.hasOld)]
  if (!hasNew && hasOld)
    return {
      label: 'suspect_oracle',
      cause: `its expected query has '${to}', for which the database has no rows; it has rows for '${from}' of the knowledge base`,
    }
  if (code === undefined || found.some((each) => each.hasNew && !each.hasOld)) return undefined
  return {
    label: 'wrong_definition',
    cause: `the cases of several metrics expect '${to}' where the knowledge base has '${from}', and ${hasOld ? 'the database has rows for both' : 'no query shows for which of them the database has rows'}: needs review`,
  }
}

function renamedEnumValue({ edits }: RepairPlan, context: Context): LiteralReplacement | undefined {
  const [first, second] = slotEditsIn(edits, context).filter(({ action }) => action === 'rename')
  return first && second && { from: valueInSlot(first.slot) ?? '', to: String(first.value) }
}

/** Returns the one string that snippets lose, and its replacement. */
function replacedLiteral(
  plan: RepairPlan,
  snapshot: Snapshot,
  context: Context,
): LiteralReplacement | undefined {
  const isText = plan.edits.some((edit) => formatOf(context).slotEditOf(edit) === undefined)
  const candidate = isText ? applyPlan(plan, snapshot) : undefined
  if (candidate === undefined) return undefined
  const [lost, got] = [new Set<string>(), new Set<string>()]
  for (const query of queriesChangedBy(plan, snapshot, candidate, context)) {
    // A new query replaces no literal.
    if ((query.before?.text ?? '').trim() === '') continue
    const [before, after] = [query.before, query.after].map((each) => stringLiteralsIn(each?.text, context))
    for (const text of before ?? []) if (after?.has(text) === false) lost.add(text)
    for (const text of after ?? []) if (before?.has(text) === false) got.add(text)
  }
  const [[from], [to]] = [[...lost], [...got]]
  return lost.size === 1 && got.size === 1 && from !== undefined && to !== undefined
    ? { from, to }
    : undefined
}

function stringLiteralsIn(sql: string | undefined, { dialect, parser }: Context): ReadonlySet<string> {
  const tokens = tokensOf(sql ?? '', dialect, parser)
  return new Set(tokens.flatMap(({ kind, value }) => (kind === 'string' ? [value] : [])))
}

/** Reports whether the new string, and the old one in its place, each change what the case's query finds. */
async function findRows(
  testCase: SqlCase,
  { from, to }: LiteralReplacement,
  context: Context,
): Promise<{ readonly hasNew: boolean; readonly hasOld: boolean }> {
  const [former, neither] = [from, absentText].map((text) => ({
    ...testCase,
    expectedSql: withLiteral(testCase, to, text, context),
  }))
  if (former === undefined || neither === undefined) return { hasNew: false, hasOld: false }
  const [hasNew, hasOld] = await Promise.all([
    context.distinguishes(testCase, neither),
    context.distinguishes(former, neither),
  ])
  return { hasNew, hasOld }
}

/** Returns the expected query with one string in place of another. */
function withLiteral(testCase: SqlCase, text: string, other: string, context: RepairContext): string {
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
