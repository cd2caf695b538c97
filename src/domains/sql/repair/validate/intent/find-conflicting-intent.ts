import { maskComments } from '../../../../../kb/claims/mask-sql.js'
import type { KnowledgeBase } from '../../../../../kb/entry.js'
import { changedPaths, readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import type { CommitText, HistoryContext } from '../../model/knowledge-history.js'
import { lineReaderOf } from '../../model/removed-lines.js'
import { knowledgeBaseOf } from '../../model/repair-context.js'
import { applyPlan, type RepairPlan } from '../../model/sql-repair-types.js'
import { concerns, isByPerson, isHousekeeping, messageSentences } from './commit-relevance.js'
import { type PlannedFile, type UndoneTerms, viewsOf } from './sentence-views.js'
import { diffTerms, includesTerm, type SqlTerm, type TermDifference, tokenizeSql } from './sql-terms.js'
import { metricsIn, statementsAbout, type WrittenStatement } from './statements.js'

/** What people wrote that a plan goes against. */
export interface OpposingStatement {
  /** The sentence, or the subject of a commit. */
  readonly text: string
  /** `commit 1a2b3c4 (2025-11-20)`, or the file and line of a note. */
  readonly place: string
}

export interface ConflictingIntent {
  /** The change that the plan would undo; undefined for a plan that contradicts a sentence of any age. */
  readonly change: CommitText | undefined
  readonly statements: readonly OpposingStatement[]
}

/**
 * Returns what people wrote that a plan goes against: the words of a change that it would undo, written with the
 * change or later, or a sentence beside the query that says in plain words what the plan would no longer do.
 * Older words that only name a column, and words in favour of the plan, are no reason.
 */
export async function findConflictingIntent(
  plan: RepairPlan,
  snapshot: Snapshot,
  context: HistoryContext,
): Promise<ConflictingIntent | undefined> {
  const candidate = applyPlan(plan, snapshot)
  if (candidate === undefined) return undefined
  const kb = knowledgeBaseOf(snapshot, context)
  for (const path of changedPaths(snapshot, candidate)) {
    const file = plannedFile(path, snapshot, candidate, kb, context)
    if (file === undefined) continue
    const statements = statementsAbout(file.metrics, snapshot, kb, context)
    const found =
      (await findUndoneChange(file, plan, statements, kb, context)) ??
      contradictedStatements(file, statements, kb)
    if (found !== undefined) return found
  }
  return undefined
}

function plannedFile(
  path: string,
  snapshot: Snapshot,
  candidate: Snapshot,
  kb: KnowledgeBase,
  context: HistoryContext,
): PlannedFile | undefined {
  const [today, planned] = [readText(snapshot, path), readText(candidate, path)]
  // A new file undoes no words beside it; restoring a deleted one is judged where it is proposed.
  if (today === undefined || planned === undefined) return undefined
  const isQuery = [...kb.snippets.values()].some((snippet) => snippet.path === path)
  const metrics = metricsIn(path, kb)
  return {
    path,
    today,
    planned,
    isQuery,
    difference: differenceOf(today, planned, isQuery, context),
    metrics,
  }
}

function differenceOf(
  before: string,
  after: string,
  isQuery: boolean,
  context: HistoryContext,
): TermDifference {
  if (isQuery) return diffTerms(maskComments(before), maskComments(after))
  const { namesIn } = lineReaderOf(context)
  const [had, has] = [before, after].map((text) => new Set(text.split('\n').flatMap(namesIn)))
  const only = (some: ReadonlySet<string> | undefined, others: ReadonlySet<string> | undefined): SqlTerm[] =>
    [...(some ?? [])].filter((name) => others?.has(name) !== true).map((text) => ({ kind: 'literal', text }))
  return { added: only(has, had), removed: only(had, has), columns: [] }
}

/** Finds the newest change that the plan undoes in part, if people said that it was meant. */
async function findUndoneChange(
  file: PlannedFile,
  plan: RepairPlan,
  statements: readonly WrittenStatement[],
  kb: KnowledgeBase,
  context: HistoryContext,
): Promise<ConflictingIntent | undefined> {
  const { history } = context
  const versions = (await history?.versionsOf(file.path)) ?? []
  let after = file.today
  let open = [...file.difference.added, ...file.difference.removed]
  for (const { text: before, by } of versions) {
    if (open.length === 0) return undefined
    const change = differenceOf(before, after, file.isQuery, context)
    after = before
    const undone = open.filter(
      (term) =>
        (includesTerm(file.difference.added, term) && includesTerm(change.removed, term)) ||
        (includesTerm(file.difference.removed, term) && includesTerm(change.added, term)),
    )
    const isSameCondition =
      undone.length === 0 &&
      change.columns.some((column) => includesTerm(file.difference.columns, column)) &&
      isReverse(file, before)
    if (undone.length === 0 && !isSameCondition) continue
    // What an older change did with the same words has been decided anew since.
    open = open.filter((term) => !undone.includes(term))
    if (await isBenchmarkNewer(plan, by, context)) continue
    const about = { terms: undone, columns: change.columns, before }
    const found = await opposingWords(by, about, file, statements, kb, context)
    if (found.length > 0) {
      const [commit] = (await history?.commitsOf?.(by)) ?? []
      return { change: commit ?? { by, date: undefined, subject: undefined }, statements: found }
    }
  }
  return undefined
}

/** Reports whether the plan gives a query the text that it had before a change, apart from comments and layout. */
function isReverse({ planned, isQuery }: PlannedFile, before: string): boolean {
  if (!isQuery) return false
  const [one, other] = [planned, before].map((text) =>
    tokenizeSql(maskComments(text))
      .map((token) => token.text.toLowerCase())
      .join(' '),
  )
  return one === other
}

/** Reports whether the expected query of one of the plan's cases was changed after a change of the knowledge. */
async function isBenchmarkNewer(plan: RepairPlan, by: string, { history }: HistoryContext): Promise<boolean> {
  const later = new Set(((await history?.commitsAfter?.(by)) ?? []).map((commit) => commit.by))
  for (const testCase of plan.cases) {
    const [last] = (await history?.queriesOf(testCase)) ?? []
    if (last !== undefined && last.by !== by && (later.has(last.by) || !last.by.startsWith('commit ')))
      return true
  }
  return false
}

/** Returns the words of a change, or later ones, that oppose the plan; empty if they speak for it. */
async function opposingWords(
  by: string,
  about: UndoneTerms,
  file: PlannedFile,
  statements: readonly WrittenStatement[],
  kb: KnowledgeBase,
  { history }: HistoryContext,
): Promise<OpposingStatement[]> {
  const [own, later] = [(await history?.commitsOf?.(by)) ?? [], (await history?.commitsAfter?.(by)) ?? []]
  const found: OpposingStatement[] = []
  for (const commit of [...own, ...later].filter(isByPerson)) {
    const isOwn = own.includes(commit)
    if (!concerns(commit, isOwn, file, kb)) continue
    const views = viewsOf(messageSentences(commit), about, file, kb)
    if (views.some(({ view }) => view === 'for')) return []
    const against = views.find(({ view }) => view === 'against')
    const named = views.find(({ view }) => view === 'named')
    if (against === undefined && (named === undefined || isHousekeeping(commit))) continue
    const text = commit.subject ?? ''
    found.push({ text, place: `${commit.by}${commit.date === undefined ? '' : ` (${commit.date})`}` })
  }
  // Words of unknown age may be older than the change.
  for (const statement of history?.textBefore === undefined ? [] : statements) {
    const [view] = viewsOf([statement.text], about, file, kb)
    if (view === undefined) continue
    const former = await history?.textBefore?.(statement.path, by)
    const isOlder = former !== undefined && withoutMarks(former).includes(withoutMarks(statement.text))
    if (isOlder) continue
    if (view.view === 'for') return []
    if (view.view === 'against' || view.isCore) found.push(quoted(statement))
  }
  return found
}

/** Returns a text without the marks of comments and lists, on one line. */
function withoutMarks(text: string): string {
  return text
    .replaceAll(/^\s*(?:--|#+|[-*+] |\/\*+|\*\/)/gmu, ' ')
    .replaceAll(/\s+/gu, ' ')
    .trim()
}

function quoted({ text, path, line }: WrittenStatement): OpposingStatement {
  return { text, place: `${path}:${line}` }
}

/** Returns sentences of any age that a plan would contradict, and that today's knowledge does not. */
function contradictedStatements(
  file: PlannedFile,
  statements: readonly WrittenStatement[],
  kb: KnowledgeBase,
): ConflictingIntent | undefined {
  const { added, removed, columns } = file.difference
  const about = { terms: [...added, ...removed], columns, before: file.today }
  const found = statements.filter(({ text }) =>
    viewsOf([text], about, file, kb).some(({ view, isCertain }) => view === 'against' && isCertain),
  )
  return found.length === 0 ? undefined : { change: undefined, statements: found.map(quoted) }
}
