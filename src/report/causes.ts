import type { CaseRecord, TriageLabel } from '../store/record-types.js'
import { oneLine } from './format-text.js'
import { needsPerson } from './summary.js'

/** A cause, with the cases that need review because of it. */
export interface ReportedCause {
  /** `c1`, `c2` … in the order of their first case. */
  readonly id: string
  /** What it is about: `metric dau`, `note sales.md, "Paid revenue"`. */
  readonly subject: string
  readonly label: TriageLabel | undefined
  readonly cases: readonly [CaseRecord, ...CaseRecord[]]
}

/** Returns the causes of a run: cases that fail from one cause are one. */
export function causesOf(cases: Iterable<CaseRecord>): ReportedCause[] {
  const groups = new Map<string, [CaseRecord, ...CaseRecord[]]>()
  for (const record of cases) {
    if (!needsPerson(record) || record.sharedCause === undefined) continue
    const key = `${record.label}\0${record.sharedCause.key}`
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [record])
    else group.push(record)
  }
  return [...groups.values()].map((members, at) => ({
    id: `c${at + 1}`,
    subject: members[0].sharedCause?.subject ?? '',
    label: members[0].label,
    cases: members,
  }))
}

/** A case with those that fail from the same cause, which are listed under it. */
export interface CaseWithOthers {
  readonly record: CaseRecord
  readonly others: readonly CaseRecord[]
}

/** Returns cases in their order, each cause once, at its first case. */
export function gatherByCause(cases: readonly CaseRecord[]): CaseWithOthers[] {
  const causes = causesOf(cases)
  const later = new Set(causes.flatMap(({ cases: [, ...others] }) => others))
  const others = new Map(causes.map(({ cases: [first, ...rest] }) => [first, rest]))
  return cases
    .filter((record) => !later.has(record))
    .map((record) => ({ record, others: others.get(record) ?? [] }))
}

/** Returns a case that is listed under another one with the same cause: what it shows, and what else is known of it. */
export function describeOther(record: CaseRecord, { cause }: CaseRecord): string {
  const own = record.cause === cause || record.cause === undefined ? [] : [oneLine(record.cause)]
  return [oneLine(record.sample.reason), ...own, ...describeOwnExample(record)].join('; ')
}

/** Says that an agent may have copied an answer; empty if it did not. */
export function describeOwnExample({ sample: { ownExample } }: CaseRecord): string[] {
  return ownExample === undefined ? [] : [`answered from its own example (${oneLine(ownExample)})`]
}
