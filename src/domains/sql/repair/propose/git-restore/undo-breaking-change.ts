import type { Edit } from '../../../../../edit/edit-types.js'
import { readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import { type BreakingChange, breakingChangeOf } from '../../model/breaking-change.js'
import { casesWithResults } from '../../model/cases-with-results.js'
import { formatOf, interpretationOf, knowledgeBaseOf, rewriteQuery } from '../../model/repair-context.js'
import { revertChange, withLineEndsOf } from '../../model/revert-change.js'
import type { RestoreContext, ScoringContext } from '../../model/scoring-context.js'
import { applyPlan, type Diagnosis } from '../../model/sql-repair-types.js'
import { createRestorePlan, describeResult, type RestoreOption } from './restore-option.js'

/**
 * Returns the change with which all of these cases began to fail, undone as far as they need it, in the author's words and in whatever files they are;
 * undefined if they have none in common, or if later changes overlap with it.
 */
export async function undoBreakingChange(
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  context: RestoreContext,
): Promise<RestoreOption | undefined> {
  const change = await sharedBreakingChange(diagnoses, snapshot, context)
  if (change === undefined) return undefined
  const cases = diagnoses.map(({ evaluation }) => evaluation.testCase)
  const passingWith = async (edits: readonly Edit[]): Promise<ReadonlySet<string>> => {
    const after = applyPlan({ edits }, snapshot)
    return after === undefined ? new Set() : await casesWithResults(cases, after, context)
  }
  let edits = editsBack(change, snapshot, context)
  if (edits.length === 0 || (await passingWith(edits)).size < cases.length) return undefined
  for (const edit of edits) {
    const fewer = edits.filter((other) => other !== edit)
    if (fewer.length > 0 && (await passingWith(fewer)).size === cases.length) edits = fewer
  }
  const after = applyPlan({ edits }, snapshot)
  const [first] = cases
  const kb = after && knowledgeBaseOf(after, context)
  const metric = first && kb && interpretationOf(first, kb, context).metric
  if (after === undefined || metric === undefined) return undefined
  const title = `${metric.name}: as it was before ${change.by}`
  const files = [...new Set(edits.map(({ path }) => path))]
  const were = `${files.join(' and ')} as ${files.length === 1 ? 'it was' : 'they were'} before ${change.by}`
  const restored = createRestorePlan(
    {
      label: diagnoses[0]?.label ?? 'wrong_definition',
      title,
      reasoning: `with ${were}, ${metric.name} ${describeResult(diagnoses, after, context)}`,
      edits,
    },
    metric,
    diagnoses,
  )
  const plan = { ...restored, undoesBreak: true } as const
  return { plan, after, metric, undoes: [change.by], passingCases: new Set(cases.map(({ id }) => id)) }
}

/** Returns the change with which each of the cases began to fail; undefined if it is not the same for all. */
export async function sharedBreakingChange(
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<BreakingChange | undefined> {
  let shared: BreakingChange | undefined
  for (const { evaluation } of diagnoses) {
    const change = await breakingChangeOf(evaluation.testCase, snapshot, context)
    if (change === undefined || (shared !== undefined && shared.by !== change.by)) return undefined
    shared = change
  }
  return shared
}

/** Returns the edits that take a change back in its files; those that it created stay. */
function editsBack(
  { paths, before, after }: BreakingChange,
  snapshot: Snapshot,
  context: RestoreContext,
): Edit[] {
  const [then, now] = [knowledgeBaseOf(before, context), knowledgeBaseOf(snapshot, context)]
  return paths.flatMap((path): Edit[] => {
    const [had, has, today] = [before, after, snapshot].map((each) => readText(each, path))
    if (had === undefined) return []
    const snippet = [...then.snippets.values()].find((each) => each.path === path)
    if (today === undefined || today.trim() === '') {
      const created = formatOf(context).creation.file(path, had, context.kbFolder)
      return created === undefined ? [] : [created]
    }
    const text =
      has === today || has === undefined
        ? withLineEndsOf(had, today)
        : revertChange(withLineEndsOf(had, today), withLineEndsOf(has, today), today)
    if (text === undefined) return []
    const query = snippet && now.snippets.get(snippet.name)
    const former = query && formatOf(context).former.queryIn(query, text)
    const ofQuery =
      query === undefined || former === undefined || former === query.text
        ? []
        : rewriteQuery(query, former, snapshot, context)
    const ofMetrics = then.metrics
      .filter((metric) => metric.path === path)
      .flatMap(({ id }) => formatOf(context).former.valuesOf(id, path, text, snapshot) ?? [])
      .map(({ edit }) => edit)
    return [...ofQuery, ...ofMetrics]
  })
}
