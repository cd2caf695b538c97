import { applyHunks, diffHunks } from '../../../../../edit/line-edits.js'
import { maskComments } from '../../../../../kb/claims/mask-sql.js'
import { diffSnapshots } from '../../../../../snapshot/diff.js'
import { splitLines } from '../../../../../snapshot/line-endings.js'
import { changedPaths, type Snapshot, withFiles } from '../../../../../snapshot/snapshot.js'
import { wordsAndSigns } from '../../../../../text/words-and-signs.js'
import { casesWithResults } from '../../model/cases-with-results.js'
import { type ChangedQuery, changedQueries } from '../../model/changed-queries.js'
import { withFormerPositions } from '../../model/former-positions.js'
import type { PreviousVersion } from '../../model/knowledge-history.js'
import { formatOf, type RepairContext, resolvesToExpected, rewriteQuery } from '../../model/repair-context.js'
import { withLineEndsOf } from '../../model/revert-change.js'
import type { ScoringContext } from '../../model/scoring-context.js'
import type { RepairPlan } from '../../model/sql-repair-types.js'
import { applyPlan } from '../../model/sql-repair-types.js'

/**
 * Returns the plan as the file's author once wrote it, if that is equivalent and only restores removed text,
 * or changes no more lines, together with whether the knowledge base once had that meaning.
 */
export async function preferOriginalText(
  proposed: RepairPlan,
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<{ readonly plan: RepairPlan; readonly isRestored: boolean }> {
  const plan = await restoreOriginalPositions(proposed, snapshot, context)
  if (plan.isRestored === true) return { plan, isRestored: true }
  const untouched = { plan, isRestored: false }
  const candidate = applyPlan(plan, snapshot)
  if (candidate === undefined || context.history === undefined) return untouched
  const [path, ...more] = changedPaths(snapshot, candidate)
  if (path === undefined || more.length > 0) return untouched
  if (!snapshot.files.has(path) || !candidate.files.has(path)) return untouched
  const [query] = changedQueries(snapshot, candidate, context)
  // A benchmark that spells its queries otherwise shows by rows which text it means.
  const gives = async (state: Snapshot): Promise<boolean> =>
    satisfiesAllCases(plan, state, context) || (await givesAllRows(plan, state, context))
  for (const version of await context.history.versionsOf(path)) {
    const { text } = version
    if (text.trim() === '') continue
    const former = withFiles(candidate, new Map([[path, new TextEncoder().encode(text)]]))
    if (!(await gives(former))) continue
    const better = query && (await rewriteAsBefore(plan, query, version, snapshot, candidate, gives, context))
    return { plan: better ?? plan, isRestored: true }
  }
  return untouched
}

/**
 * Returns the plan with as much of a former text of its query as its cases need; undefined if that changes
 * more.
 */
async function rewriteAsBefore(
  plan: RepairPlan,
  { before, after }: ChangedQuery,
  version: PreviousVersion,
  snapshot: Snapshot,
  candidate: Snapshot,
  gives: (state: Snapshot) => Promise<boolean>,
  context: RepairContext,
): Promise<RepairPlan | undefined> {
  const said = before && formatOf(context).former.queryIn(before, version.text)
  if (before === undefined || after === undefined || said === undefined) return undefined
  const editsTo = (text: string) => rewriteQuery(before, text, snapshot, context)
  const snapshotWith = (text: string): Snapshot => applyPlan({ edits: editsTo(text) }, snapshot) ?? snapshot
  const now = before.text
  const former = await applyNeededHunks(now, withLineEndsOf(said, now), (text) => gives(snapshotWith(text)))
  const lost = removedWordCounts(now, former)
  const isNoLonger = changedLineCount(snapshot, snapshotWith(former)) <= changedLineCount(snapshot, candidate)
  const isBetter =
    lost.size === 0 || (isNoLonger && removesNoMoreWords(lost, removedWordCounts(now, after.text)))
  if (!isBetter) return undefined
  const isEnough = await gives(candidate)
  // What the plan says of itself is true of the former text only if that changes the same words.
  const isSame = isEnough && changesSameWords(now, former, after.text)
  const words = isSame ? {} : describeRestoration(plan, before.path, version.by, isEnough)
  return { ...plan, ...words, edits: editsTo(former) }
}

/** Comments come back with a former text, and no plan speaks of them. */
function changesSameWords(...texts: readonly [now: string, former: string, planned: string]): boolean {
  const [now = '', former = '', planned = ''] = texts.map(maskComments)
  const entries = (counts: ReadonlyMap<string, number>): string => JSON.stringify([...counts].sort())
  return (
    entries(removedWordCounts(now, former)) === entries(removedWordCounts(now, planned)) &&
    entries(removedWordCounts(former, now)) === entries(removedWordCounts(planned, now))
  )
}

/** Describes a former text that replaces what a plan wrote and explained: its words do not apply to it. */
function describeRestoration(
  { subject }: RepairPlan,
  path: string,
  by: string,
  isEnough: boolean,
): Pick<RepairPlan, 'title' | 'reasoning'> {
  const gives = `${path} as it was before ${by} matches the failing cases`
  return {
    title: `${subject.replace(/^metric /u, '')}: as it was before ${by}`,
    reasoning: isEnough ? gives : `${gives}, which the proposed plan did not`,
  }
}

/**
 * Returns today's text with as few changes towards a former one as make it equivalent: other changes had
 * their own reasons.
 */
async function applyNeededHunks(
  now: string,
  former: string,
  gives: (text: string) => Promise<boolean>,
): Promise<string> {
  const lines = splitLines(now)
  const all = diffHunks(lines, splitLines(former))
  let needed = all
  for (const hunk of all) {
    const fewer = needed.filter((other) => other !== hunk)
    if (fewer.length > 0 && (await gives(applyHunks(lines, fewer).join('')))) needed = fewer
  }
  return applyHunks(lines, needed).join('')
}

/** Returns the plan with its additions to metrics placed as the former files had them. */
async function restoreOriginalPositions(
  plan: RepairPlan,
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<RepairPlan> {
  const { history } = context
  if (history === undefined) return plan
  const texts = new Map<string, readonly string[]>()
  for (const edit of plan.edits)
    if (formatOf(context).slotEditOf(edit) !== undefined)
      texts.set(
        edit.path,
        (await history.versionsOf(edit.path)).map(({ text }) => text),
      )
  const textsOf = (path: string): readonly string[] => texts.get(path) ?? []
  return { ...plan, edits: withFormerPositions(plan.edits, textsOf, snapshot, context) }
}

/** Reports whether the knowledge base gives the expected query for each case of the plan. */
function satisfiesAllCases(plan: RepairPlan, snapshot: Snapshot, context: RepairContext): boolean {
  return plan.cases.every((testCase) => resolvesToExpected(testCase, snapshot, context))
}

/** Reports whether the knowledge base gives the expected rows for each case of the plan. */
async function givesAllRows(
  { cases }: RepairPlan,
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<boolean> {
  return (await casesWithResults(cases, snapshot, context)).size === cases.length
}

/** Reports whether no more words are lost: a present comment is worth more than a former wording. */
function removesNoMoreWords(lost: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): boolean {
  return [...lost].every(([word, count]) => count <= (others.get(word) ?? 0))
}

/** Returns how many of each word and sign a change removes, ignoring letter case. */
function removedWordCounts(before: string, after: string): Map<string, number> {
  const counts = new Map<string, number>()
  const count = (text: string, by: number): void => {
    for (const word of wordsAndSigns(text.toLowerCase())) counts.set(word, (counts.get(word) ?? 0) + by)
  }
  count(before, 1)
  count(after, -1)
  return new Map([...counts].filter(([, left]) => left > 0))
}

function changedLineCount(before: Snapshot, after: Snapshot): number {
  return diffSnapshots(before, after).reduce((sum, { added, removed }) => sum + added + removed, 0)
}
