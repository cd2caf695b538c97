import type { Diagnosis } from '../model/sql-repair-types.js'

/**
 * Reports whether a diagnosis is still valid after a repair has changed some files: it is as long as its
 * entry did not change.
 */
export function diagnosisOutlives(
  { label, subject, interpretation }: Diagnosis,
  repair: { readonly subject: string; readonly paths: readonly string[] },
): boolean {
  if (label === 'missing_alias' || label === 'missing_value') return subject !== repair.subject
  if (label !== 'wrong_definition' || interpretation.kind === 'unbound') return false
  const { path, snippet } = interpretation.metric
  return !repair.paths.some((changed) => changed === path || changed.endsWith(`/${snippet}`))
}
