import type { Edit } from '../edit/edit.js'
import { asFormerly } from '../edit/yaml-former.js'
import { diffSnapshots } from '../snapshot/diff.js'
import { changedPaths, readText, type Snapshot, withFiles } from '../snapshot/snapshot.js'
import type { History, HistoryContext } from './history.js'
import { knowledgeOf, meaningOf, type RepairContext, saysExpected } from './knowledge.js'
import type { RepairPlan } from './plan.js'
import { planned } from './planned.js'
import { textEdits } from './propose/edits.js'

/**
 * The plan as the file's author once wrote it, where that says the same in no more changed lines, and whether the
 * knowledge once said the same.
 */
export async function inAuthorsWords(
  proposed: RepairPlan,
  snapshot: Snapshot,
  context: HistoryContext,
): Promise<{ readonly plan: RepairPlan; readonly isFormer: boolean }> {
  const plan = await inFormerPlaces(proposed, snapshot, context)
  if (plan.isFormer === true) return { plan, isFormer: true }
  const untouched = { plan, isFormer: false }
  const candidate = planned(plan, snapshot)
  if (candidate === undefined || context.history === undefined) return untouched
  const [path, ...more] = changedPaths(snapshot, candidate)
  const [now, then] = [snapshot, candidate].map((each) => readText(each, path ?? ''))
  if (path === undefined || more.length > 0) return untouched
  if (now === undefined || then === undefined) return untouched
  for (const { text } of await context.history.textsOf(path)) {
    const former = withFiles(candidate, new Map([[path, new TextEncoder().encode(text)]]))
    if (text.trim() === '' || !saysAll(plan, former, context)) continue
    const isShorter =
      path.endsWith('.sql') &&
      changedLines(snapshot, former) <= changedLines(snapshot, candidate) &&
      losesNoMore(lostWords(now, text), lostWords(now, then))
    return { plan: isShorter ? { ...plan, edits: textEdits(path, now, text) } : plan, isFormer: true }
  }
  return untouched
}

/** The plan with what it adds to metrics where their files once had it, as it was written there. */
async function inFormerPlaces(
  plan: RepairPlan,
  snapshot: Snapshot,
  { history }: HistoryContext,
): Promise<RepairPlan> {
  if (history === undefined) return plan
  const edits: Edit[] = []
  for (const edit of plan.edits) {
    const before = planned({ edits }, snapshot)
    const bytes = edit.kind === 'edit_metric' ? before?.files.get(edit.path) : undefined
    edits.push(bytes === undefined ? edit : await inFormerPlace(edit, bytes, history))
  }
  return { ...plan, edits }
}

async function inFormerPlace(edit: Edit, bytes: Uint8Array, history: History): Promise<Edit> {
  if (edit.kind !== 'edit_metric') return edit
  for (const { text } of await history.textsOf(edit.path)) {
    const placed = asFormerly(edit, text, bytes)
    if (placed !== undefined) return placed
  }
  return edit
}

/** Whether the knowledge says what each case of the plan expects. */
function saysAll(plan: RepairPlan, snapshot: Snapshot, context: RepairContext): boolean {
  const kb = knowledgeOf(snapshot, context)
  return plan.cases.every((testCase) => {
    const meaning = meaningOf(testCase, kb, context)
    return meaning.kind === 'bound' && saysExpected(testCase, meaning.metric, meaning.bindings, kb, context)
  })
}

/** A comment of today is worth more than the wording of yesterday. */
function losesNoMore(lost: ReadonlyMap<string, number>, others: ReadonlyMap<string, number>): boolean {
  return [...lost].every(([word, count]) => count <= (others.get(word) ?? 0))
}

/** How many of each word and sign go with a change, in whatever letter case. */
function lostWords(before: string, after: string): Map<string, number> {
  const counts = new Map<string, number>()
  const count = (text: string, by: number): void => {
    for (const [word] of text.toLowerCase().matchAll(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu))
      counts.set(word, (counts.get(word) ?? 0) + by)
  }
  count(before, 1)
  count(after, -1)
  return new Map([...counts].filter(([, left]) => left > 0))
}

function changedLines(before: Snapshot, after: Snapshot): number {
  return diffSnapshots(before, after).reduce((sum, { added, removed }) => sum + added + removed, 0)
}
