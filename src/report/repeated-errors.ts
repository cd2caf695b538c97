import type { CaseRecord } from '../store/record-types.js'

/** A case, and those that had the same error of an agent or an engine and need not be shown, too. */
export interface CaseWithAlike {
  readonly record: CaseRecord
  readonly alike: readonly CaseRecord[]
}

/** Of errors that say nothing about the one case. */
const commonLabels: ReadonlySet<CaseRecord['label']> = new Set([undefined, 'schema_changed', 'engine_busy'])

/** Returns the cases in their order; cases with the error of an earlier one are with that one. */
export function gatherRepeatedErrors(records: readonly CaseRecord[]): readonly CaseWithAlike[] {
  const shown: { readonly record: CaseRecord; readonly alike: CaseRecord[] }[] = []
  const firstOf = new Map<string, CaseRecord[]>()
  for (const record of records) {
    const isCommon = record.outcome === 'errored' && commonLabels.has(record.label)
    const key = record.cause ?? record.sample.reason
    const first = isCommon ? firstOf.get(key) : undefined
    if (first !== undefined) {
      first.push(record)
      continue
    }
    const alike: CaseRecord[] = []
    shown.push({ record, alike })
    if (isCommon) firstOf.set(key, alike)
  }
  return shown
}

/** Returns `33 more cases had the same error: z1, z2, z3 …`. */
export function describeAlike(alike: readonly CaseRecord[]): string {
  const ids = alike.slice(0, 3).map(({ caseId }) => caseId)
  const cases = alike.length === 1 ? '1 more case' : `${alike.length} more cases`
  return `${cases} had the same error: ${ids.join(', ')}${alike.length > ids.length ? ' …' : ''}`
}
