import { maskComments } from '../../../../../kb/claims/mask-sql.js'
import type { KnowledgeBase } from '../../../../../kb/entry.js'
import { changedPaths, readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import type { CommitText, HistoryContext } from '../../model/knowledge-history.js'
import { lineReaderOf } from '../../model/removed-lines.js'
import { knowledgeBaseOf } from '../../model/repair-context.js'
import { applyPlan, type RepairPlan } from '../../model/sql-repair-types.js'
import { explainsChange, type UndoneChange } from './change-explanation.js'
import { concerns, isByPerson, isHousekeeping, messageSentences } from './commit-relevance.js'
import { type PlannedFile, viewsOf } from './sentence-views.js'
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
  return { added: only(has, had), removed: only(had, has), conditions: [] }
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
  // A kind of join, an operator or a default may change without a word that people could name.
  const hasTerms = open.length > 0
  for (const { text: before, by } of versions) {
    if (hasTerms && open.length === 0) return undefined
    const change = differenceOf(before, after, file.isQuery, context)
    const now = after
    after = before
    const undone = open.filter(
      (term) =>
        (includesTerm(file.difference.added, term) && includesTerm(change.removed, term)) ||
        (includesTerm(file.difference.removed, term) && includesTerm(change.added, term)),
    )
    if (undone.length === 0 && !isReverse(file, before, now)) continue
    // What an older change did with the same words has been decided anew since.
    open = open.filter((term) => !undone.includes(term))
    if (await isBenchmarkNewer(plan, by, context)) continue
    const others = [...change.added, ...change.removed].filter((term) => !includesTerm(undone, term))
    const about = { terms: undone, conditions: change.conditions, before, others }
    const found = await opposingWords(by, about, file, statements, kb, context)
    if (found.length > 0) {
      const [commit] = (await history?.commitsOf?.(by)) ?? []
      return { change: commit ?? { by, date: undefined, subject: undefined }, statements: found }
    }
  }
  return undefined
}

/**
 * Reports whether the plan takes back a change as a whole: a query gets the text that it had before, apart from
 * comments and layout; in other files, each line that the plan changes is one that the change made.
 */
function isReverse({ today, planned, isQuery }: PlannedFile, before: string, after: string): boolean {
  if (isQuery) {
    const [one, other] = [planned, before].map((text) =>
      tokenizeSql(maskComments(text))
        .map((token) => token.text.toLowerCase())
        .join(' '),
    )
    return one === other
  }
  const [plan, change] = [changedLines(planned, today), changedLines(before, after)]
  return plan.length > 0 && plan.every((line) => change.includes(line))
}

/** Returns the lines that only one of two texts has, each with its side. */
function changedLines(one: string, other: string): string[] {
  const [here, there] = [one, other].map((text) => new Set(text.split('\n').map((line) => line.trim())))
  const only = (some?: ReadonlySet<string>, others?: ReadonlySet<string>): string[] =>
    [...(some ?? [])].filter((line) => others?.has(line) !== true)
  return [...only(here, there).map((line) => `+${line}`), ...only(there, here).map((line) => `-${line}`)]
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

/** Returns the words of a change, or later ones, that oppose the plan; empty if later ones speak for it. */
async function opposingWords(
  by: string,
  about: UndoneChange,
  file: PlannedFile,
  statements: readonly WrittenStatement[],
  kb: KnowledgeBase,
  { history }: HistoryContext,
): Promise<OpposingStatement[]> {
  const [own, later] = [(await history?.commitsOf?.(by)) ?? [], (await history?.commitsAfter?.(by)) ?? []]
  const found: OpposingStatement[] = []
  for (const commit of own.filter(isByPerson))
    if (concerns(commit, true, file, kb) && explainsChange(commit, about, file, kb))
      found.push(quotedCommit(commit))
  for (const commit of later.filter(isByPerson)) {
    if (!concerns(commit, false, file, kb)) continue
    const views = viewsOf(messageSentences(commit), about, file, kb)
    if (views.some(({ view }) => view === 'for')) return []
    const against = views.some(({ view }) => view === 'against')
    const named = views.some(({ view }) => view === 'named') && !isHousekeeping(commit.subject ?? '')
    if (against || named) found.push(quotedCommit(commit))
  }
  // Words of unknown age may be older than the change.
  for (const statement of history?.textBefore === undefined ? [] : statements) {
    const { text, path, source } = statement
    const [view] = viewsOf([text], about, file, kb, source === 'title' ? 'title' : 'text')
    if (view === undefined) continue
    if (isIn(text, await history?.textBefore?.(path, by))) continue
    const isOwn = isIn(text, await history?.textAfter?.(path, by))
    if (view.view === 'for' && !isOwn) return []
    if (isOwn || view.view === 'against' || view.isCore) found.push(quoted(statement))
  }
  return found
}

function isIn(sentence: string, text: string | undefined): boolean {
  return text !== undefined && withoutMarks(text).includes(withoutMarks(sentence))
}

function quotedCommit({ by, date, subject = '' }: CommitText): OpposingStatement {
  return { text: subject, place: `${by}${date === undefined ? '' : ` (${date})`}` }
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
  const { added, removed, conditions } = file.difference
  const about = { terms: [...added, ...removed], conditions, before: file.today }
  const found = statements.filter(({ text }) =>
    viewsOf([text], about, file, kb).some(({ view, isCertain }) => view === 'against' && isCertain),
  )
  return found.length === 0 ? undefined : { change: undefined, statements: found.map(quoted) }
}
