import type { RepairPlan, SqlTypes } from '../../../../src/domains/sql/repair/model/sql-repair-types.js'
import type { Edit } from '../../../../src/edit/edit-types.js'
import type { ModelProposer, ModelRequest } from '../../../../src/repair/model/model-proposer.js'

/** A proposer that answers each request with these edits. */
export function scripted(
  edits: (subject: string, request: ModelRequest<SqlTypes>) => readonly Edit[],
): ModelProposer<SqlTypes> {
  return {
    reserve: () => ({ release: () => undefined }),
    async propose(request) {
      const [first] = request.diagnoses
      if (first === undefined) throw new Error('asked about no case')
      const { label, subject } = first
      const all = edits(subject, request)
      const plan: RepairPlan = {
        label,
        subject,
        title: `${all[0]?.path} changed`,
        reasoning: 'scripted',
        edits: all,
        cases: request.diagnoses.map(({ evaluation }) => evaluation.testCase),
        goldExposed: false,
        size: 1,
        signature: '',
      }
      return { kind: 'plan', plan }
    },
  }
}
