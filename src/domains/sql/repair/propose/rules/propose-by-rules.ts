import type { SlotEdit } from '../../../../../kb/entry-slots.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import type { MetadataChange } from '../../diagnose/metadata-changes/metadata-change.js'
import { findMetadataChanges } from '../../diagnose/metadata-changes.js'
import { isRestoreCluster } from '../../model/git-restore-cluster-key.js'
import { knowledgeBaseOf, type RepairContext, renderEdits, snippetOf } from '../../model/repair-context.js'
import type { Diagnosis, ProposalRequest, Proposals, RepairPlan } from '../../model/sql-repair-types.js'
import { proposePlaceholders } from './fix-placeholders.js'
import { proposeRegionFix } from './fix-region.js'
import { proposeDefinition } from './fix-snippet.js'
import { proposeMissingParameter } from './missing-parameter.js'
import { isMissingParameterCluster } from './missing-parameter-clusters.js'
import { proposeMissingSnippet } from './missing-snippet.js'
import { proposeMetric } from './new-metric.js'

/** Proposes plans for one cluster from its cases alone, without an LLM. */
export function proposeByRules(
  request: ProposalRequest,
  snapshot: Snapshot,
  context: RepairContext,
): Proposals {
  if (request.diagnoses.some(isRestoreCluster))
    return { plans: [], abstained: 'no earlier version of its file in git fixes its cases' }
  if (request.diagnoses.some(isMissingParameterCluster))
    return proposeMissingParameter(request, snapshot, context)
  const region = request.diagnoses[0]?.region
  if (region !== undefined) return proposeRegionFix(request, region, snapshot, context)
  switch (request.label) {
    case 'wrong_definition': {
      if (request.diagnoses.some((diagnosis) => diagnosis.aliasEdits !== undefined))
        return withAliasEdits(proposeDefinition(request, snapshot, context), request, snapshot, context)
      const names = proposeMetadataChange(request, snapshot, context)
      return names.plans.length > 0 ? names : proposeDefinition(request, snapshot, context)
    }
    case 'missing_alias':
    case 'missing_value':
    case 'retrieval_miss':
      return proposeMetadataChange(request, snapshot, context)
    case 'broken_entry':
      return proposeEntryFix(request, snapshot, context)
    case 'missing_definition':
      return proposeMetric(request, snapshot, context)
    default:
      return { plans: [], abstained: `nothing to propose for ${request.label}` }
  }
}

/** Proposes to make a metric usable whose snippet is broken or missing. */
function proposeEntryFix(request: ProposalRequest, snapshot: Snapshot, context: RepairContext): Proposals {
  const [metric] = request.diagnoses.flatMap(({ interpretation }) => interpretation.metric ?? [])
  if (metric === undefined) return { plans: [], abstained: 'its file cannot be used' }
  const snippet = snippetOf(metric, knowledgeBaseOf(snapshot, context))
  return snippet === undefined
    ? proposeMissingSnippet(request, metric, snapshot, context)
    : proposePlaceholders(request, metric, snippet, snapshot, context)
}

/** Adds to each plan the names by which the cases ask for the metric. */
function withAliasEdits(
  { plans, abstained }: Proposals,
  { diagnoses }: ProposalRequest,
  snapshot: Snapshot,
  context: RepairContext,
): Proposals {
  const names = diagnoses.find((diagnosis) => diagnosis.aliasEdits !== undefined)?.aliasEdits ?? []
  const words = names.map(({ value }) => `"${[value].flat().join(', ')}"`).join(', ')
  return {
    plans: plans.map((plan) => ({
      ...plan,
      title: `${plan.title}; ${names.length === 1 ? 'alias' : 'aliases'} ${words} ${names.length === 1 ? 'was' : 'were'} missing`,
      reasoning: `${plan.reasoning}, and the question means it with ${words} as ${names.length === 1 ? 'an alias' : 'aliases'}, as before`,
      edits: [...renderEdits(names, snapshot, context), ...plan.edits],
    })),
    abstained,
  }
}

/** Proposes the changes of names that make every case of the cluster pass, whichever words each case uses. */
function proposeMetadataChange(
  request: ProposalRequest,
  snapshot: Snapshot,
  context: RepairContext,
): Proposals {
  const [first, ...rest] = request.diagnoses.map(
    ({ evaluation, interpretation }) =>
      findMetadataChanges(evaluation.testCase, interpretation, snapshot, context).changes,
  )
  const metrics = new Set(request.diagnoses.map(({ interpretation }) => interpretation.metric?.id))
  const plans = (first ?? []).flatMap((change): RepairPlan[] => {
    if (change.affectsAllMetrics === true && metrics.size < 2) return []
    const others = rest.map((changes) => changes.find((other) => other.key === change.key))
    const same = others.filter((other) => other !== undefined)
    if (same.length < rest.length) return []
    const slots = same.reduce((joined, other) => mergeListEdits(joined, other.edits), change.edits)
    const edits = renderEdits(slots, snapshot, context)
    return [
      {
        label: change.label,
        subject: change.subject,
        title: change.title,
        reasoning: change.reasoning,
        edits,
        cases: request.diagnoses.map((diagnosis) => diagnosis.evaluation.testCase),
        goldExposed: true,
        size: JSON.stringify(edits).length,
        signature: change.title,
        concerns: concernsOf(change, request.diagnoses),
      },
    ]
  })
  return plans.length > 0
    ? { plans }
    : { plans, abstained: 'no change of aliases or values fixes all its cases' }
}

/**
 * Returns the concerns of a change; none if the engine refuses today's query, which is wrong whatever the
 * evidence.
 */
function concernsOf({ concern }: MetadataChange, diagnoses: readonly Diagnosis[]): string[] {
  const [only, ...more] = diagnoses
  const isRefused = only?.evaluation.score.results?.kind === 'generated_failed'
  return concern === undefined || more.length > 0 || isRefused ? [] : [concern]
}

/** Merges edits that set the same list, keeping the words of both. Equal edits stay unchanged. */
function mergeListEdits(edits: readonly SlotEdit[], others: readonly SlotEdit[]): readonly SlotEdit[] {
  return edits.map((edit, index) => {
    const other = others[index]
    if (!Array.isArray(edit.value) || !Array.isArray(other?.value)) return edit
    return { ...edit, value: [...new Set([...edit.value, ...other.value])] }
  })
}
