import type { Edit, YamlEdit, YamlValue } from '../../../../../edit/edit.js'
import { restorePlacement } from '../../../../../edit/yaml-restore-placement.js'
import { diffSnapshots } from '../../../../../snapshot/diff.js'
import { splitLines } from '../../../../../snapshot/line-endings.js'
import { changedPaths, readText, type Snapshot, withFiles } from '../../../../../snapshot/snapshot.js'
import type { History, HistoryContext } from '../../model/history.js'
import { type RepairContext, resolvesToExpected } from '../../model/knowledge.js'
import type { RepairPlan } from '../../model/plan.js'
import { applyPlan } from '../../model/plan.js'
import { withLineEndsOf } from '../../model/revert-change.js'
import { applyHunks, diffHunks, textEdits } from '../../model/text-edits.js'

/**
 * The plan as the file's author once wrote it, where that says the same and only gives back what was taken out, or does
 * so in no more changed lines, and whether the knowledge once said the same.
 */
export async function preferOriginalText(
  proposed: RepairPlan,
  snapshot: Snapshot,
  context: HistoryContext,
): Promise<{ readonly plan: RepairPlan; readonly isRestored: boolean }> {
  const plan = await restoreOriginalPositions(proposed, snapshot, context)
  if (plan.isRestored === true) return { plan, isRestored: true }
  const untouched = { plan, isRestored: false }
  const candidate = applyPlan(plan, snapshot)
  if (candidate === undefined || context.history === undefined) return untouched
  const [path, ...more] = changedPaths(snapshot, candidate)
  const [now, then] = [snapshot, candidate].map((each) => readText(each, path ?? ''))
  if (path === undefined || more.length > 0) return untouched
  if (now === undefined || then === undefined) return untouched
  const snapshotWith = (text: string): Snapshot =>
    withFiles(candidate, new Map([[path, new TextEncoder().encode(text)]]))
  const says = (text: string): boolean => satisfiesAllCases(plan, snapshotWith(text), context)
  for (const { text } of await context.history.versionsOf(path)) {
    if (text.trim() === '' || !says(text)) continue
    if (!path.endsWith('.sql')) return { plan, isRestored: true }
    const former = applyNeededHunks(now, withLineEndsOf(text, now), says)
    const lost = removedWordCounts(now, former)
    const isNoLonger =
      changedLineCount(snapshot, snapshotWith(former)) <= changedLineCount(snapshot, candidate)
    const isBetter = lost.size === 0 || (isNoLonger && removesNoMoreWords(lost, removedWordCounts(now, then)))
    if (!isBetter) return { plan, isRestored: true }
    const words = satisfiesAllCases(plan, candidate, context) ? {} : describeRestoration(path)
    return { plan: { ...plan, ...words, edits: textEdits(path, now, former) }, isRestored: true }
  }
  return untouched
}

/** What is told of a former text that came in place of what a model wrote and explained: its words are about that. */
function describeRestoration(path: string): Pick<RepairPlan, 'title' | 'reasoning'> {
  return {
    title: `${path} restored from git`,
    reasoning: `the earlier text of ${path} in git matches the cases, which the proposed plan did not`,
  }
}

/** Today's text with as much of a former one as it takes to say the same: what else has changed has its own reasons. */
function applyNeededHunks(now: string, former: string, says: (text: string) => boolean): string {
  const lines = splitLines(now)
  const all = diffHunks(lines, splitLines(former))
  const needed = all.reduce((kept, hunk) => {
    const fewer = kept.filter((other) => other !== hunk)
    return fewer.length > 0 && says(applyHunks(lines, fewer).join('')) ? fewer : kept
  }, all)
  return applyHunks(lines, needed).join('')
}

/** The plan with what it adds to metrics where their files once had it, as it was written there. */
async function restoreOriginalPositions(
  plan: RepairPlan,
  snapshot: Snapshot,
  { history }: HistoryContext,
): Promise<RepairPlan> {
  if (history === undefined) return plan
  const edits: Edit[] = []
  for (const proposed of plan.edits) {
    const edit = shiftAfterInsertion(edits.at(-1), proposed)
    const before = applyPlan({ edits }, snapshot)
    const bytes = edit.kind === 'edit_metric' ? before?.files.get(edit.path) : undefined
    edits.push(bytes === undefined ? edit : await restoreOriginalPosition(edit, bytes, history))
  }
  return { ...plan, edits }
}

/** An item for a list in which the one before has its former place: the list is in another order than was planned. */
function shiftAfterInsertion(last: Edit | undefined, edit: Edit): Edit {
  const isAddition = (each: Edit | undefined): each is YamlEdit =>
    each?.kind === 'edit_metric' && each.action === 'append'
  if (!isAddition(last) || !isAddition(edit) || last.path !== edit.path) return edit
  if (last.at.join('\0') !== edit.at.join('\0') || !Array.isArray(last.expected)) return edit
  const added: YamlValue = last.value ?? null
  const index = last.placed?.index ?? last.expected.length
  return { ...edit, expected: last.expected.toSpliced(index, 0, added) }
}

async function restoreOriginalPosition(edit: Edit, bytes: Uint8Array, history: History): Promise<Edit> {
  if (edit.kind !== 'edit_metric') return edit
  for (const { text } of await history.versionsOf(edit.path)) {
    const placed = restorePlacement(edit, text, bytes)
    if (placed !== undefined) return placed
  }
  return edit
}

/** Whether the knowledge says what each case of the plan expects. */
function satisfiesAllCases(plan: RepairPlan, snapshot: Snapshot, context: RepairContext): boolean {
  return plan.cases.every((testCase) => resolvesToExpected(testCase, snapshot, context))
}

/** A comment of today is worth more than the wording of yesterday. */
function removesNoMoreWords(lost: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): boolean {
  return [...lost].every(([word, count]) => count <= (others.get(word) ?? 0))
}

/** How many of each word and sign go with a change, in whatever letter case. */
function removedWordCounts(before: string, after: string): Map<string, number> {
  const counts = new Map<string, number>()
  const count = (text: string, by: number): void => {
    for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu))
      counts.set(word, (counts.get(word) ?? 0) + by)
  }
  count(before, 1)
  count(after, -1)
  return new Map([...counts].filter(([, left]) => left > 0))
}

function changedLineCount(before: Snapshot, after: Snapshot): number {
  return diffSnapshots(before, after).reduce((sum, { added, removed }) => sum + added + removed, 0)
}
