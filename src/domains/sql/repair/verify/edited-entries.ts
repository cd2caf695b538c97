import { entriesNamed } from '../../../../contracts/agent-answer.js'
import { formatOf, type RepairContext } from '../model/repair-context.js'
import type { Diagnosis, RepairPlan } from '../model/sql-repair-types.js'

/** Returns the ids of the entries that a plan edits. */
export function entriesEdited(
  { edits }: Pick<RepairPlan, 'edits'>,
  context: Pick<RepairContext, 'format'>,
): ReadonlySet<string> {
  return new Set(edits.flatMap((edit) => formatOf(context).entriesEditedBy(edit)))
}

/**
 * Returns the entries that a plan for these cases probably edits: those of their metrics, else the entries
 * that all of them read.
 */
export function entriesConcerned(diagnoses: readonly Diagnosis[]): ReadonlySet<string> {
  const metrics = diagnoses.flatMap(({ interpretation }) => interpretation.metric ?? [])
  if (metrics.length > 0) return new Set(metrics.flatMap(({ id, snippet }) => [id, `snippet:${snippet}`]))
  const read = diagnoses.map(({ evaluation: { sample } }) => entriesNamed(sample))
  return new Set(read[0]?.filter((id) => read.every((ids) => ids.includes(id))))
}
