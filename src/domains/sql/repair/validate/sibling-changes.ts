import { diffArrays } from 'diff'
import type { Edit } from '../../../../edit/edit-types.js'
import { applyHunks, diffHunks, type Hunk } from '../../../../edit/line-edits.js'
import type { Siblings } from '../../../../repair/model/repair-domain.js'
import { splitLines } from '../../../../snapshot/line-endings.js'
import { changedPaths, readText, type Snapshot } from '../../../../snapshot/snapshot.js'
import { withFormerPositions } from '../model/former-positions.js'
import type { ChangedKnowledge, HistoryContext } from '../model/knowledge-history.js'
import {
  formatOf,
  interpretationOf,
  knowledgeBaseOf,
  type RepairContext,
  renderQuery,
  rewriteQuery,
} from '../model/repair-context.js'
import { revertChange, withLineEndsOf } from '../model/revert-change.js'
import { applyPlan, type RepairPlan, type SqlTypes } from '../model/sql-repair-types.js'
import { checkPlan } from './check-plan.js'
import { findConflictingIntent } from './intent/find-conflicting-intent.js'
import { metricsIn } from './intent/statements.js'

/** How many earlier states of a file are searched for the change that a plan takes back. */
const maxVersions = 8

/** Words that one text has and another does not, each as often as that, sorted. */
interface WordDifference {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** An entry's file in which a change did the same as in the plan's, and the edits that take it back. */
interface Sibling {
  readonly path: string
  readonly name: string
  readonly edits: readonly Edit[]
}

/**
 * Returns a plan that takes a change back in every entry that the change treated in the same way, with the
 * entries that it adds and those that something speaks against; undefined if there are none.
 */
export async function withSiblingChanges(
  plan: RepairPlan,
  snapshot: Snapshot,
  context: HistoryContext,
): Promise<Siblings<SqlTypes> | undefined> {
  const candidate = applyPlan(plan, snapshot)
  if (candidate === undefined || context.history === undefined) return undefined
  const own = changedPaths(snapshot, candidate)
  const undone = await findUndoneChange(own, snapshot, candidate, context)
  if (undone === undefined) return undefined
  const { by, words } = undone
  const kept: Sibling[] = []
  const refused: string[] = []
  let after = candidate
  for (const change of await context.history.knowledgeChangedBy(by)) {
    if (own.includes(change.path)) continue
    const sibling = siblingOf(change, words, snapshot, context)
    if (sibling === undefined) continue
    const against = await speaksAgainst(sibling, plan, snapshot, context)
    const next = against === undefined ? applyPlan({ edits: sibling.edits }, after) : undefined
    if (next === undefined) refused.push(`not in ${sibling.name}: ${against ?? 'it was changed since'}`)
    else kept.push(sibling)
    after = next ?? after
  }
  if (kept.length === 0) return undefined
  const unasked = kept.filter(({ path }) => !isAskedFor(path, snapshot, after, context))
  const names = kept.map(({ name }) => name)
  const remarks = [
    `${by} did the same in ${names.join(', ')}`,
    ...(unasked.length === 0
      ? []
      : [
          unasked.length === kept.length
            ? `no case asks for ${unasked.length === 1 ? 'that' : 'any of these'}`
            : `no case asks for it in ${unasked.map(({ name }) => name).join(', ')}`,
        ]),
    ...refused,
  ]
  const places = `${kept.length} more ${kept.length === 1 ? 'entry' : 'entries'}`
  return {
    plan: {
      ...plan,
      title: `${plan.title} (and in ${places})`,
      edits: [...plan.edits, ...kept.flatMap(({ edits }) => edits)],
      restoredPaths: [...restoredPathsOf(plan), ...kept.map(({ path }) => path)],
    },
    remarks,
  }
}

function restoredPathsOf(plan: RepairPlan): readonly string[] {
  return plan.isRestored === true ? plan.edits.map(({ path }) => path) : (plan.restoredPaths ?? [])
}

/** Returns the newest change whose words, in each of the plan's files, are exactly those that the plan takes back. */
async function findUndoneChange(
  paths: readonly string[],
  snapshot: Snapshot,
  candidate: Snapshot,
  { history }: HistoryContext,
): Promise<{ readonly by: string; readonly words: WordDifference } | undefined> {
  const differences = paths.map((path) => {
    const [before, after] = [readText(snapshot, path), readText(candidate, path)]
    return before === undefined || after === undefined ? undefined : diffWords(before, after)
  })
  const [words] = differences
  const [path] = paths
  if (path === undefined || words === undefined || isEmpty(words)) return undefined
  if (!differences.every((each) => each !== undefined && isEqual(each, words))) return undefined
  const versions = ((await history?.versionsOf(path)) ?? []).slice(0, maxVersions)
  let after = readText(snapshot, path) ?? ''
  for (const { text: before, by } of versions) {
    const now = after
    after = before
    if (hunksOf({ before, after: now }, words).length > 0) return { by, words }
  }
  return undefined
}

/** Returns the entry of a changed file, if the change did there what the words say and it can be taken back. */
function siblingOf(
  { path, before, after }: ChangedKnowledge,
  words: WordDifference,
  snapshot: Snapshot,
  context: RepairContext,
): Sibling | undefined {
  const today = readText(snapshot, path)
  if (before === undefined || today === undefined) return undefined
  const then = after ?? today
  const hunks = hunksOf({ before, after: then }, words)
  if (hunks.length === 0) return undefined
  const former = applyHunks(splitLines(then), hunks).join('')
  const back = revertChange(former, then, withLineEndsOf(today, then))
  if (back === undefined || !isEqual(diffWords(today, back), words)) return undefined
  const kb = knowledgeBaseOf(snapshot, context)
  const query = [...kb.snippets.values()].find((each) => each.path === path)
  const [metric] = metricsIn(path, kb)
  const edits = query === undefined ? metricEdits(path, back, snapshot, context) : []
  const text = query && formatOf(context).former.queryIn(query, back)
  const all = query === undefined || text === undefined ? edits : rewriteQuery(query, text, snapshot, context)
  if (all.length === 0 || metric === undefined) return undefined
  return { path, name: metric.name, edits: all }
}

function metricEdits(path: string, back: string, snapshot: Snapshot, context: RepairContext): Edit[] {
  const edits = knowledgeBaseOf(snapshot, context)
    .metrics.filter((metric) => metric.path === path)
    .flatMap(({ id }) => formatOf(context).former.valuesOf(id, path, back, snapshot) ?? [])
    .map(({ edit }) => edit)
  return withFormerPositions(edits, () => [back], snapshot, context)
}

/** Returns why one entry is left as it is, in words. */
async function speaksAgainst(
  { edits, name }: Sibling,
  plan: RepairPlan,
  snapshot: Snapshot,
  context: HistoryContext,
): Promise<string | undefined> {
  const alone: RepairPlan = { ...plan, edits, cases: [], subject: `metric ${name}`, isRestored: true }
  const after = applyPlan(alone, snapshot)
  if (after === undefined) return 'it was changed since'
  const problem = checkPlan(alone, snapshot, after, false, context)
  if (problem !== undefined) return problem.reason
  const [said] =
    (await findConflictingIntent(alone, snapshot, context, async () => undefined))?.statements ?? []
  return said && `${said.place} says "${said.text}"`
}

/** Reports whether some case has another query with the changed file than without. */
function isAskedFor(path: string, snapshot: Snapshot, after: Snapshot, context: RepairContext): boolean {
  const [now, then] = [snapshot, after].map((each) => knowledgeBaseOf(each, context))
  if (now === undefined || then === undefined) return false
  const ids = new Set(metricsIn(path, now).map(({ id }) => id))
  return (context.benchmark ?? []).some((testCase) => {
    const [had, has] = [now, then].map((kb) => {
      const meaning = interpretationOf(testCase, kb, context)
      if (meaning.kind !== 'bound') return undefined
      return {
        metric: meaning.metric.id,
        sql: renderQuery(meaning.metric, meaning.bindings, kb, context),
      }
    })
    return has !== undefined && ids.has(has.metric) && has.sql !== had?.sql
  })
}

/** Returns the hunks that lead from a change's result back towards its start, if their words are these. */
function hunksOf(
  { before, after }: { readonly before: string; readonly after: string },
  words: WordDifference,
): Hunk[] {
  const lines = splitLines(after)
  const hunks = diffHunks(lines, splitLines(before)).filter((hunk) => {
    const { added, removed } = diffWords(lines.slice(hunk.from, hunk.to).join(''), hunk.lines.join(''))
    const isPart =
      added.every((word) => words.added.includes(word)) &&
      removed.every((word) => words.removed.includes(word))
    return isPart && added.length + removed.length > 0
  })
  const text = applyHunks(lines, hunks).join('')
  return isEqual(diffWords(after, text), words) ? hunks : []
}

/** Returns the words of a text, without qualifiers, punctuation and case: `AND u.country <> 'GB'`. */
function wordsOf(text: string): string[] {
  const unqualified = text.replaceAll(/\b[\p{L}_][\p{L}\p{N}_]*\.(?=[\p{L}_])/gu, '')
  return unqualified.toLowerCase().match(/[\p{L}\p{N}_%$-]+|[<>=!+*/|]+/gu) ?? []
}

function diffWords(before: string, after: string): WordDifference {
  const [added, removed]: string[][] = [[], []]
  for (const part of diffArrays(wordsOf(before), wordsOf(after))) {
    if (part.added) added?.push(...part.value)
    if (part.removed) removed?.push(...part.value)
  }
  return { added: (added ?? []).sort(), removed: (removed ?? []).sort() }
}

function isEmpty({ added, removed }: WordDifference): boolean {
  return added.length + removed.length === 0
}

function isEqual(one: WordDifference, other: WordDifference): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
