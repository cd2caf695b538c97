/** The types of the repair loop, bound to text-to-SQL, under the names that its steps use. */
import type {
  ProposalRequest as ProposalRequestOf,
  Proposals as ProposalsOf,
  RepairPlan as RepairPlanOf,
} from '../../../../repair/model/repair-plan.js'
import type { Evaluation } from '../../../../run/evaluate-case.js'
import type { SqlTypes } from '../../sql-domain-types.js'

export { applyPlan } from '../../../../repair/model/repair-plan.js'
export type { SqlDiagnosis as Diagnosis, SqlTypes } from '../../sql-domain-types.js'

export type SqlEvaluation = Evaluation<SqlTypes>
export type RepairPlan = RepairPlanOf<SqlTypes>
export type ProposalRequest = ProposalRequestOf<SqlTypes>
export type Proposals = ProposalsOf<SqlTypes>
