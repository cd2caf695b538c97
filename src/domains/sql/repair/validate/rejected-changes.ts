import type { Problem } from '../../../../repair/model/repair-domain.js'
import { describeRejection, rejectedBefore } from '../../../../repair/validate/rejected-before.js'
import { changedPaths, type Snapshot } from '../../../../snapshot/snapshot.js'
import { canonicalForm } from '../../../../sql/index.js'
import { knowledgeBaseOf, type RepairContext } from '../model/repair-context.js'
import type { RepairPlan, SqlTypes } from '../model/sql-repair-types.js'
import { readablePlaceholders } from './parse-snippet.js'

/** Returns the decision of a person against any change with which these cases pass. */
export function findRejectedChange(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): Problem<SqlTypes> | undefined {
  const { rejected = [] } = context
  if (rejected.length === 0) return undefined
  const decision = rejectedBefore(
    {
      cases: plan.cases.map(({ id, question, expectedSql }) => ({ id, question, expected: expectedSql })),
      paths: changedPaths(snapshot, candidate),
      snapshot,
      candidate,
      inAnyWords: true,
      isSame: (path, one, other) => isSameQuery(path, one, other, candidate, context),
    },
    rejected,
  )
  return decision && { reason: describeRejection(decision), isDecision: true }
}

/** Reports whether two texts of a query have one canonical form; other files must be equal in every byte. */
function isSameQuery(
  path: string,
  one: string,
  other: string,
  candidate: Snapshot,
  context: RepairContext,
): boolean {
  const kb = knowledgeBaseOf(candidate, context)
  const query = [...kb.snippets.values()].find((snippet) => snippet.path === path)
  if (query === undefined) return false
  const metrics = kb.metrics.filter(({ snippet }) => snippet === query.name)
  const [a, b] = [one, other].map((text) =>
    canonicalForm(context.parser, readablePlaceholders(text, metrics).sql, context.dialect),
  )
  return a !== undefined && a === b
}
