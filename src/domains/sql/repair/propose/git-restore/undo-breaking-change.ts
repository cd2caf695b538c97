import type { SqlCase } from '../../../../../benchmark/case.js'
import type { Edit } from '../../../../../edit/edit-types.js'
import { textEdits } from '../../../../../edit/line-edits.js'
import { asProseEdits } from '../../../../../edit/prose-edits.js'
import type { KnowledgeBase, Metric } from '../../../../../kb/entry.js'
import type { RepairCandidate } from '../../../../../repair/model/candidate.js'
import { type DiffLine, diffSnapshots } from '../../../../../snapshot/diff.js'
import { readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import { wordsAndSigns } from '../../../../../text/words-and-signs.js'
import { type BreakingChange, breakingChangeOf } from '../../model/breaking-change.js'
import { casesWithResults } from '../../model/cases-with-results.js'
import { answerOfKnowledge } from '../../model/knowledge-answer.js'
import type { KnowledgeChange } from '../../model/knowledge-history.js'
import { formatOf, interpretationOf, knowledgeBaseOf, rewriteQuery } from '../../model/repair-context.js'
import { keepCurrentComments, revertChange, withLineEndsOf } from '../../model/revert-change.js'
import type { ScoringContext } from '../../model/scoring-context.js'
import { applyPlan, type Diagnosis, type SqlTypes } from '../../model/sql-repair-types.js'
import { createRestorePlan, describeResult, type RestoreOption } from './restore-option.js'

/** A change taken back, with the texts that its files had before. */
interface UndoneChange extends RestoreOption {
  readonly formerTexts: readonly string[]
}

const known = new WeakMap<Snapshot, Map<string, Promise<UndoneChange | undefined>>>()

/**
 * Returns the change with which cases began to fail, undone as far as they need it, in its author's words and in whatever files it touched: what
 * was changed since stays where that is possible. Undefined if one of them began with none.
 */
export function undoBreakingChange(
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<UndoneChange | undefined> {
  const found = known.get(snapshot) ?? new Map<string, Promise<UndoneChange | undefined>>()
  known.set(snapshot, found)
  const key = diagnoses.map(({ evaluation }) => evaluation.testCase.id).join('\0')
  const before = found.get(key)
  if (before !== undefined) return before
  const undone = undo(diagnoses, snapshot, context)
  found.set(key, undone)
  // What failed is no answer.
  undone.catch(() => found.delete(key))
  return undone
}

async function undo(
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<UndoneChange | undefined> {
  const changes = await breakingChangesOf(diagnoses, snapshot, context)
  const oldest = changes.at(-1)
  if (oldest === undefined) return undefined
  const cases = diagnoses.map(({ evaluation }) => evaluation.testCase)
  const passingWith = async (edits: readonly UndoingEdit[]): Promise<ReadonlySet<string>> => {
    const after = applyPlan({ edits: edits.map(({ edit }) => edit) }, snapshot)
    return after === undefined ? new Set() : await casesWithResults(cases, after, context)
  }
  const own = pathsOf(changes)
  const all = pathsOf(changes.flatMap((change) => [change, ...change.later]))
  const moves = changes.length === 1 ? movedQueries(cases, oldest, snapshot, context) : noMoves
  const ways = [
    ...(moves.size > 0 ? [{ since: 'kept', paths: [...moves.keys()], moves } as const] : []),
    ...(changes.length === 1 ? [{ since: 'kept', paths: own, moves: noMoves } as const] : []),
    { since: 'undone', paths: own, moves: noMoves } as const,
    ...(all.length === own.length ? [] : [{ since: 'undone', paths: all, moves: noMoves } as const]),
  ]
  let best: { edits: readonly UndoingEdit[]; passing: ReadonlySet<string>; moves: Moves } | undefined
  for (const { since, paths, moves } of ways) {
    const edits = editsBack(oldest, paths, since, moves, snapshot, context)
    const passing = edits.length === 0 ? new Set<string>() : await passingWith(edits)
    if (edits.length > 0 && passing.size >= (best?.passing.size ?? 0)) best = { edits, passing, moves }
    if (passing.size === cases.length) break
  }
  if (best === undefined) return undefined
  let { edits } = best
  if (best.passing.size === cases.length)
    for (const each of edits) {
      const fewer = edits.filter((other) => other !== each)
      if (!each.isNeeded && fewer.length > 0 && (await passingWith(fewer)).size === cases.length)
        edits = fewer
    }
  const option = await optionOf(edits, best, changes, diagnoses, snapshot, context)
  const formerTexts = pathsOf(changes).flatMap((path) => readText(oldest.before, path) ?? [])
  return option && { ...option, formerTexts }
}

/**
 * Returns the changes with which cases began to fail, each once, the oldest last; none if one of the cases has none.
 */
async function breakingChangesOf(
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<BreakingChange[]> {
  const found = new Map<string, BreakingChange>()
  for (const { evaluation } of diagnoses) {
    const change = await breakingChangeOf(evaluation.testCase, snapshot, context)
    if (change === undefined) return []
    found.set(change.by, change)
  }
  return [...found.values()].sort((one, other) => one.age - other.age)
}

/**
 * Reports whether the change is taken back before the rules' plans are tried: unless one of them is enough, changes fewer lines, and puts back only
 * words that the author's text had. It keeps what else was rewritten.
 */
export async function isUndoneFirst(
  { plans, diagnoses }: Pick<RepairCandidate<SqlTypes>, 'plans' | 'diagnoses'>,
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<boolean> {
  const undone = await undoBreakingChange(diagnoses, snapshot, context)
  if (undone === undefined) return false
  const most = changedLines(snapshot, undone.after).length
  const had = new Set(undone.formerTexts.flatMap(wordsOf))
  const cases = diagnoses.map(({ evaluation }) => evaluation.testCase)
  for (const plan of plans) {
    const after = applyPlan(plan, snapshot)
    const changed = after === undefined ? [] : changedLines(snapshot, after)
    const putsBack = changed.every(
      ({ kind, text }) => kind === 'removed' || wordsOf(text).every((word) => had.has(word)),
    )
    if (after === undefined || changed.length >= most || !putsBack) continue
    if ((await casesWithResults(cases, after, context)).size === cases.length) return false
  }
  return true
}

function changedLines(before: Snapshot, after: Snapshot): DiffLine[] {
  return diffSnapshots(before, after).flatMap(({ lines }) => lines.filter(({ kind }) => kind !== 'context'))
}

function wordsOf(text: string): string[] {
  return wordsAndSigns(text.toLowerCase())
}

function pathsOf(changes: readonly KnowledgeChange[]): string[] {
  return [...new Set(changes.flatMap(({ paths }) => paths))]
}

/** Files to which a change moved queries, each with the file that it moved them from. */
type Moves = ReadonlyMap<string, string>

const noMoves: Moves = new Map()

/** Returns where the queries of cases were before a change that gave their metrics new files for them, and removed the old ones. */
function movedQueries(
  cases: readonly SqlCase[],
  { before }: BreakingChange,
  snapshot: Snapshot,
  context: ScoringContext,
): Moves {
  const [then, now] = [before, snapshot].map((each) => knowledgeBaseOf(each, context)) as [
    KnowledgeBase,
    KnowledgeBase,
  ]
  return new Map(
    cases.flatMap((testCase): [string, string][] => {
      const { metric } = interpretationOf(testCase, now, context)
      const had = then.metrics.find(({ id }) => id === metric?.id)
      const [from, to] = [then.snippets.get(had?.snippet ?? ''), now.snippets.get(metric?.snippet ?? '')]
      const isMoved =
        from !== undefined &&
        to !== undefined &&
        readText(before, to.path) === undefined &&
        readText(snapshot, from.path) === undefined
      return isMoved ? [[to.path, from.path]] : []
    }),
  )
}

interface UndoingEdit {
  readonly edit: Edit
  /** Whether it comes back with the others, asked for or not: what the change cut off when it made an entry unusable. */
  readonly isNeeded: boolean
}

/**
 * Returns the edits that take a change back in these files; those that it created stay.
 *
 * @param since what was changed in them later: kept, where it does not overlap, or undone as well
 */
function editsBack(
  { before, after }: BreakingChange,
  paths: readonly string[],
  since: 'kept' | 'undone',
  moves: Moves,
  snapshot: Snapshot,
  context: ScoringContext,
): UndoingEdit[] {
  const [then, now] = [knowledgeBaseOf(before, context), knowledgeBaseOf(snapshot, context)]
  const { creation, former } = formatOf(context)
  return paths.flatMap((path): UndoingEdit[] => {
    const source = moves.get(path) ?? path
    const had = readText(before, source)
    const [has, today] = [after, snapshot].map((each) => readText(each, path))
    if (had === undefined) return []
    if (today === undefined || today.trim() === '') {
      const created = creation.file(path, had, context.kbFolder)
      return created === undefined ? [] : [{ edit: created, isNeeded: false }]
    }
    const text =
      since === 'undone' || has === today || has === undefined
        ? withLineEndsOf(had, today)
        : revertChange(withLineEndsOf(had, today), withLineEndsOf(has, today), today)
    if (text === undefined) return []
    if (then.entries?.some((entry) => entry.path === path) === true)
      return asProseEdits(textEdits(path, today, text)).map((edit) => ({ edit, isNeeded: false }))
    const snippet = [...then.snippets.values()].find((each) => each.path === source)
    const query = [...now.snippets.values()].find((each) =>
      moves.has(path) ? each.path === path : each.name === snippet?.name,
    )
    const said = query && former.queryIn(query, text)
    const isBroken = now.broken.some(({ metric, problem }) => (metric?.path ?? problem.path) === path)
    const ofMetrics = then.metrics
      .filter((metric) => metric.path === path)
      .flatMap(({ id }) => former.valuesOf(id, path, text, snapshot) ?? [])
      .map(({ edit, isAddition }) => ({ edit, isNeeded: isBroken && isAddition }))
    if (query === undefined || said === undefined || said === query.text) return ofMetrics
    const kept = since === 'undone' ? keepCurrentComments(said, query.text) : said
    const ofQuery = rewriteQuery(query, kept, snapshot, context).map((edit) => ({ edit, isNeeded: false }))
    return [...ofQuery, ...ofMetrics]
  })
}

async function optionOf(
  undoing: readonly UndoingEdit[],
  { passing: passingCases, moves }: { readonly passing: ReadonlySet<string>; readonly moves: Moves },
  changes: readonly BreakingChange[],
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<RestoreOption | undefined> {
  const edits = undoing.map(({ edit }) => edit)
  const after = applyPlan({ edits }, snapshot)
  const kb = after && knowledgeBaseOf(after, context)
  const metrics = diagnoses.flatMap(
    ({ evaluation }) => (kb && interpretationOf(evaluation.testCase, kb, context).metric) ?? [],
  )
  const entries =
    metrics.length > 0 || after === undefined ? [] : await entriesAnswering(diagnoses, after, context)
  const names = [...new Set([...metrics, ...entries].map(({ name }) => name))]
  const [metric] = [...metrics, ...entries]
  const edited = new Set(edits.map(({ path }) => path))
  const undoes = changes
    .flatMap((change) => [...change.later, change])
    .flatMap(({ by, paths }) => (paths.some((path) => edited.has(path)) ? [by] : []))
  const oldest = undoes.at(-1)
  if (after === undefined || metric === undefined || oldest === undefined) return undefined
  const files = [...edited]
  const [moved = files.length === 1 ? 'it' : 'they'] = files.flatMap((path) => moves.get(path) ?? [])
  const were = `${files.join(' and ')} as ${moved} ${moved === 'they' ? 'were' : 'was'} before ${oldest}`
  const isBroken = diagnoses.some(({ label }) => label === 'broken_entry')
  const isUnbound =
    entries.length === 0 && diagnoses.some(({ interpretation }) => interpretation.kind === 'unbound')
  const restored = createRestorePlan(
    {
      label: isBroken ? 'broken_entry' : isUnbound ? 'missing_value' : 'wrong_definition',
      title: `${names.join(', ')}: as it was before ${oldest}`,
      reasoning: `with ${were}, ${names.join(', ')} ${describeResult(diagnoses, after, context)}`,
      edits,
    },
    metric,
    diagnoses,
  )
  const subject =
    entries.length > 0
      ? names.join(', ')
      : names.length === 1
        ? restored.subject
        : `metrics ${names.join(', ')}`
  const isProof = changes.every(({ passedBefore }) => passedBefore)
  const plan = { ...restored, subject, ...(isProof ? ({ undoesBreak: true } as const) : {}) }
  return { plan, after, metric, undoes, passingCases }
}

/** Returns the entries of other formats that cases are answered from, in the form of metrics. */
async function entriesAnswering(
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<Metric[]> {
  const found: Metric[] = []
  for (const { evaluation } of diagnoses) {
    const answer = await answerOfKnowledge(evaluation.testCase, snapshot, context)
    const path = answer?.paths[0]
    if (answer === undefined || path === undefined) continue
    const { name } = answer
    found.push({ id: name, name, title: name, aliases: [], snippet: path, parameters: new Map(), path })
  }
  return found
}
