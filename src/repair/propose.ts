import type { Snapshot } from '../snapshot/snapshot.js'
import { type RepairContext, tokensOf } from './knowledge.js'
import type { ProposalRequest, Proposals } from './plan.js'
import { proposeDefinition } from './propose/definition.js'
import { nameChanges } from './propose/names.js'

/** Plans for one cluster, made from its cases alone and without an LLM. */
export function propose(request: ProposalRequest, snapshot: Snapshot, context: RepairContext): Proposals {
  switch (request.label) {
    case 'wrong_definition':
      return proposeDefinition(request, snapshot, context)
    case 'missing_alias':
    case 'missing_value':
    case 'retrieval_miss':
      return proposeNames(request, snapshot, context)
    default:
      return { plans: [], abstained: `nothing to propose for ${request.label}` }
  }
}

/** The changes of names that serve every case of the cluster. */
function proposeNames(request: ProposalRequest, snapshot: Snapshot, context: RepairContext): Proposals {
  const [first, ...rest] = request.diagnoses.map(({ evaluation, interpretation }) =>
    nameChanges(evaluation.testCase, interpretation, snapshot, context),
  )
  const shared = (first ?? []).filter((change) => {
    const key = JSON.stringify(change.edits)
    return rest.every((changes) => changes.some((other) => JSON.stringify(other.edits) === key))
  })
  const plans = shared.map((change) => ({
    ...change,
    cases: request.diagnoses.map((diagnosis) => diagnosis.evaluation.testCase),
    goldExposed: true,
    size: change.edits.reduce(
      (total, edit) =>
        total + tokensOf(JSON.stringify(edit.value ?? ''), context.dialect, context.parser).length,
      0,
    ),
    signature: change.title,
  }))
  return plans.length > 0 ? { plans } : { plans, abstained: 'no change of names serves all its cases' }
}
