import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import type { RepairContext } from '../../model/repair-context.js'
import type { Diagnosis } from '../../model/sql-repair-types.js'
import { isFixable } from './fix-placeholders.js'
import { draftQuery } from './missing-snippet.js'

/** Assigns a diagnosis of a broken entry to its own cluster if its fault can be determined. */
export function assignFixableEntryCluster(
  diagnosis: Diagnosis,
  snapshot: Snapshot,
  context: RepairContext,
  exhausted: ReadonlySet<string>,
): Diagnosis {
  const { cluster, label, evaluation, interpretation } = diagnosis
  const { metric } = interpretation
  const key = `fix:${metric?.id}`
  if (cluster !== undefined || label !== 'broken_entry') return diagnosis
  if (metric === undefined || exhausted.has(key)) return diagnosis
  const { testCase } = evaluation
  const canBe =
    isFixable(metric, testCase, snapshot, context) ||
    draftQuery(metric, testCase, snapshot, context) !== undefined
  return canBe ? { ...diagnosis, cluster: key } : diagnosis
}
