import type { SqlCase } from '../../../../../benchmark/case.js'
import { changedPaths, readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import { countChangedLines } from '../../model/change-size.js'
import { expectedSqlFor, interpretationOf, knowledgeBaseOf, renderQuery } from '../../model/repair-context.js'
import type { ScoringContext } from '../../model/scoring-context.js'
import {
  applyPlan,
  type ProposalRequest,
  type Proposals,
  type RepairPlan,
} from '../../model/sql-repair-types.js'
import type { EntryTask } from '../rules/entry-task.js'
import { regionTask } from '../rules/fix-region.js'
import { snippetTask } from '../rules/fix-snippet.js'
import type { Example } from '../rules/snippet-proposals.js'
import { searchEdits } from './search-edits.js'

/** The most queries of one search. */
const maxQueries = 4000
/** The most passing cases that every candidate is tried on; all others are asked when the plan is verified. */
const maxPassing = 6

/** The most lines, removed and added, that a plan of the rules may change for no smaller one to be sought. */
const narrow = 2

/** Reports whether the best plan of the rules is as small as a search would find. */
export function isNarrow(plans: readonly RepairPlan[], snapshot: Snapshot): boolean {
  const [best] = plans
  const candidate = best && applyPlan(best, snapshot)
  if (candidate === undefined) return false
  const lines = changedPaths(snapshot, candidate).map((path) =>
    countChangedLines(readText(snapshot, path) ?? '', readText(candidate, path) ?? ''),
  )
  return lines.reduce((sum, each) => sum + each, 0) <= narrow
}

/** Proposes changes of the text that the failing cases of a request were answered from, judged by what they give when they run. */
export async function searchPlans(
  request: ProposalRequest,
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<Proposals> {
  const region = request.diagnoses[0]?.region
  const isQuery = region !== undefined || request.label === 'wrong_definition'
  const task = !isQuery
    ? undefined
    : region === undefined
      ? snippetTask(request, snapshot, context)
      : regionTask(request, region, snapshot, context)
  if (task === undefined || task.examples.length === 0 || task.snippet.text.trim() === '')
    return { plans: [] }
  const passing = region === undefined ? await passingExamples(task, snapshot, context) : []
  const cases = new Map(
    [...context.benchmark, ...request.diagnoses.map((one) => one.evaluation.testCase)].map((one) => [
      one.id,
      one,
    ]),
  )
  const caseOf = (id: string): SqlCase => {
    const found = cases.get(id)
    if (found === undefined) throw new Error(`no case ${id}`)
    return found
  }
  const { proposals, abstained } = await searchEdits({
    ...task,
    ...{ parser: context.parser, dialect: context.dialect, signal: context.signal, passing, maxQueries },
    trial: {
      givesRows: (id, sql) => context.evaluator.givesRows(caseOf(id), sql, context.signal),
      passes: async (id, sql) =>
        (await context.evaluator.scoreUnjudged(caseOf(id), sql, context.signal)).verdict === 'pass',
    },
  })
  return {
    plans: proposals.flatMap((proposal) => {
      const plan = task.planOf(proposal)
      return plan === undefined ? [] : [{ ...asTried(plan), isTried: true }]
    }),
    abstained,
  }
}

/** Returns the cases that pass today and read the same entry. */
async function passingExamples(
  { snippet, examples }: EntryTask,
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<Example[]> {
  const kb = knowledgeBaseOf(snapshot, context)
  const failing = new Set(examples.map(({ caseId }) => caseId))
  const found: Example[] = []
  for (const testCase of context.benchmark) {
    if (found.length >= maxPassing || context.signal.aborted) break
    const meaning = interpretationOf(testCase, kb, context)
    const expectedSql = expectedSqlFor(testCase, context)
    if (failing.has(testCase.id) || meaning.kind !== 'bound' || expectedSql === undefined) continue
    if (kb.snippets.get(meaning.metric.snippet)?.id !== snippet.id) continue
    const sql = renderQuery(meaning.metric, meaning.bindings, kb, context)
    if (sql === undefined || !(await context.evaluator.givesRows(testCase, sql, context.signal))) continue
    found.push({ caseId: testCase.id, expectedSql, bindings: meaning.bindings, metric: meaning.metric })
  }
  return found
}

/** What was found by running it need not stand in each expected query: some are written another way. */
function asTried(plan: RepairPlan): RepairPlan {
  const { length } = plan.cases
  if (length === 1) return plan
  const reasoning = plan.reasoning.replace(/^every failing expected query/u, 'a failing expected query')
  return { ...plan, reasoning: `${reasoning}; with that, all ${length} cases give the expected rows` }
}
