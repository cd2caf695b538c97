import type { Metric } from '../../kb/entry.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { expectedFor, knowledgeOf, type RepairContext, snippetOf } from '../knowledge.js'
import type { Diagnosis, ProposalRequest, Proposals, RepairPlan } from '../plan.js'
import { textEdits } from './edits.js'
import { proposeSnippets } from './snippet.js'

/** Plans that change the snippet of a metric so that it says what the expected queries of its failing cases say. */
export function proposeDefinition(
  request: ProposalRequest,
  snapshot: Snapshot,
  context: RepairContext,
): Proposals {
  const metric = sharedMetric(request.diagnoses)
  const kb = knowledgeOf(snapshot, context)
  const snippet = metric === undefined ? undefined : snippetOf(metric, kb)
  if (metric === undefined || snippet === undefined) return { plans: [], abstained: 'no snippet to change' }
  const examples = request.diagnoses.flatMap(({ evaluation, interpretation }) => {
    const expectedSql = expectedFor(evaluation.testCase, context)
    if (expectedSql === undefined || interpretation.kind !== 'bound') return []
    return [{ caseId: evaluation.testCase.id, expectedSql, bindings: interpretation.bindings }]
  })
  const { proposals, abstained } = proposeSnippets({
    parser: context.parser,
    dialect: context.dialect,
    metric,
    snippet,
    examples,
  })
  const plans = proposals.map((proposal): RepairPlan => {
    return {
      label: 'wrong_definition',
      subject: request.subject,
      title: proposal.title,
      reasoning: `every failing expected query of ${metric.name} ${proposal.explanation.map(asWhy).join(', and ')}`,
      edits: textEdits(snippet.path, snippet.text, proposal.text),
      cases: request.diagnoses.map((diagnosis) => diagnosis.evaluation.testCase),
      goldExposed: true,
      size: proposal.changedTokens,
      signature: [...proposal.explanation].sort().join('; '),
    }
  })
  return abstained === undefined ? { plans } : { plans, abstained }
}

function sharedMetric(diagnoses: readonly Diagnosis[]): Metric | undefined {
  const first = diagnoses[0]?.interpretation
  return first?.kind === 'bound' ? first.metric : undefined
}

/** "adds the filter x" tells what the plan does; the reason is that the expected queries have it. */
function asWhy(explanation: string): string {
  return explanation.replace(/^adds /, 'has ').replace(/^(removes|drops) /, 'does without ')
}
