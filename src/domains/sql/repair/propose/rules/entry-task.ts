import type { Metric, Snippet } from '../../../../../kb/entry.js'
import type { RepairPlan } from '../../model/sql-repair-types.js'
import type { Example, SnippetProposal } from './snippet-proposals.js'

/** What is to be changed, with the cases that show how. */
export interface EntryTask {
  readonly metric: Metric
  readonly snippet: Snippet
  readonly examples: readonly Example[]
  /** Undefined where the text cannot be written there. */
  readonly planOf: (proposal: SnippetProposal) => RepairPlan | undefined
}

/** Turns what the plan does ("adds the filter x") into its reason: the expected queries have it. */
export function toReason(explanation: string): string {
  return explanation.replace(/^adds /, 'has ').replace(/^(removes|drops) /, 'omits ')
}
