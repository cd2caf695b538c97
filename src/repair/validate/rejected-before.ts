import { caseHash } from '../../contracts/case-hash.js'
import type { RejectedRepair } from '../../contracts/rejected-repair.js'
import { readText, type Snapshot } from '../../snapshot/snapshot.js'

/** A plan as it is compared with rejected ones. */
export interface ComparedPlan {
  readonly cases: readonly { readonly id: string; readonly question: string; readonly expected: string }[]
  /** Files that it changes. */
  readonly paths: Iterable<string>
  readonly snapshot: Snapshot
  readonly candidate: Snapshot
  /** Reports whether two texts of a file mean the same. */
  readonly isSame: (path: string, one: string, other: string) => boolean
  /** Whether it is what the cases expect that is rejected, in whatever words and files: each plan with which they pass gives the same rows. */
  readonly inAnyWords: boolean
}

/**
 * Returns the decision by which a person rejected the same change for no other cases than then: any, as long as the files are what they were, or one from
 * the same texts to the same texts. Undefined if there is none, or if one of these has changed since.
 */
export function rejectedBefore(
  plan: ComparedPlan,
  rejected: readonly RejectedRepair[],
): RejectedRepair | undefined {
  const paths = new Set(plan.paths)
  return rejected.find(
    ({ files, cases }) =>
      (plan.inAnyWords
        ? files.every((file) => isAsThen(file, plan))
        : files.length === paths.size &&
          files.every((file) => paths.has(file.path) && isSameChange(file, plan))) &&
      plan.cases.every(({ id, question, expected }) => cases.get(id) === caseHash(question, expected)),
  )
}

function isAsThen({ path, before, base }: RejectedRepair['files'][number], plan: ComparedPlan): boolean {
  const today = readText(plan.snapshot, path)
  return isSameText(path, before, today, plan) || (typeof base === 'string' && base === today)
}

function isSameChange(
  { path, before, after, base }: RejectedRepair['files'][number],
  plan: ComparedPlan,
): boolean {
  const [today, planned] = [readText(plan.snapshot, path), readText(plan.candidate, path)]
  if (isSameText(path, before, today, plan)) return isSameText(path, after, planned, plan)
  // Without the repair before it, the same lines are changed in the text from before both.
  if (typeof base !== 'string' || base !== today || planned === undefined) return false
  return changedLines(before ?? '', after ?? '') === changedLines(today, planned)
}

function changedLines(before: string, after: string): string {
  const [had, has] = [before, after].map((text) => text.split('\n').map((line) => line.trim()))
  const only = (lines: readonly string[] = [], others: readonly string[] = []): string[] =>
    lines.filter((line) => !others.includes(line))
  return JSON.stringify([only(had, has), only(has, had)])
}

function isSameText(
  path: string,
  one: string | null,
  other: string | undefined,
  { isSame }: ComparedPlan,
): boolean {
  if (one === null || other === undefined) return one === null && other === undefined
  return one === other || isSame(path, one, other)
}

/** Describes a decision in one line. */
export function describeRejection({ date, by, reason }: RejectedRepair): string {
  return `rejected on ${date} by ${by}: ${reason}`
}
