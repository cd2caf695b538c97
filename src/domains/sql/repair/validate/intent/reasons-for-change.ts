import type { KnowledgeBase, Metric } from '../../../../../kb/entry.js'
import { containsWords } from '../../../../../kb/words/contains-words.js'
import { contentWords } from '../../../../../kb/words/content-words.js'
import { areEquivalent } from '../../../../../sql/index.js'
import type { CommitText, HistoryContext, LineOrigin } from '../../model/knowledge-history.js'
import { expectedSqlFor, interpretationOf } from '../../model/repair-context.js'
import type { RepairPlan } from '../../model/sql-repair-types.js'
import { changedWords, stemsOf } from './changed-words.js'
import { type EditVocabulary, goesBeyondEdit, isUnread, reasonStated } from './stated-reason.js'
import { names, namesOf, type WrittenStatement } from './statements.js'
import type { UndoneChange } from './undone-changes.js'

/** What a person wrote, or did, that says that a change was meant. */
export interface Reason {
  readonly text: string
  /** `commit 1a2b3c4 (2025-11-20)`, or the file and line of a note. */
  readonly place: string
  /** Whether the text says what was done, and is nobody's words. */
  readonly isDeed?: boolean
  /** Whether it could not be read as English, so that it may be none. */
  readonly isUnread?: true
}

/** An entry whose file was changed. */
export interface ChangedEntry {
  readonly path: string
  readonly metrics: readonly Metric[]
  readonly statements: readonly WrittenStatement[]
  /** The words and signs of a text of the file, without comments. */
  readonly tokens: (text: string) => readonly string[]
}

/**
 * Returns the reasons for a change: what people wrote with it or later about the entry, and expected queries that
 * were changed with it. What is older, and what repairs wrote, is none.
 */
export async function reasonsForChange(
  change: UndoneChange,
  entry: ChangedEntry,
  plan: RepairPlan,
  kb: KnowledgeBase,
  context: HistoryContext,
): Promise<Reason[]> {
  const { history } = context
  const own = ((await history?.commitsOf?.(change.by)) ?? []).filter(isByPerson)
  const files = plan.cases.map(({ location }) => location.file)
  const later = ((await history?.commitsAfter?.(change.by)) ?? [])
    .filter(isByPerson)
    // Who changes what the cases expect speaks for them.
    .filter(({ paths = [] }) => !paths.some((path) => files.some((file) => file.endsWith(path))))
  const vocabulary = vocabularyOf(change, entry)
  const words = changedWords(entry.tokens(change.before), entry.tokens(change.after))
  const mentions = (text: string): boolean => stemsOf(text).some((word) => words.has(word))
  const found = [
    ...own
      .map((commit) => withoutOthers(commit, entry, kb))
      .flatMap((commit) => reasonIn(commit, vocabulary)),
    ...(await statedInText(change, own, later, entry, vocabulary, mentions, context)),
    ...later
      .filter((commit) => isLaterAbout(commit, entry, kb) && mentions(textOf(commit)))
      .flatMap((commit) => reasonIn(commit, vocabulary)),
    ...(await casesChangedWith(change.by, entry, plan, kb, context)),
  ]
  return found.filter(
    ({ text, place }, at) => found.findIndex((other) => other.text === text && other.place === place) === at,
  )
}

/**
 * Returns the reasons that the first commit of a shallow clone gives for what a plan would change: whether it made that change is
 * unknown, so it has to name the entry or what is changed.
 */
export function reasonsAtBoundary(
  boundary: CommitText,
  change: Pick<UndoneChange, 'before' | 'after'>,
  entry: ChangedEntry,
  kb: KnowledgeBase,
): Reason[] {
  const commit = withoutOthers(boundary, entry, kb)
  const { tokens, metrics, statements } = entry
  const said = statements.flatMap(({ text, isAbout }) => (isAbout ? contentWords(text).flatMap(stemsOf) : []))
  const words = new Set([...changedWords(tokens(change.before), tokens(change.after)), ...said])
  const text = textOf(commit)
  const isAbout =
    metrics.some((metric) => names(text, metric)) ||
    contentWords(text).some((word) => stemsOf(word).every((part) => words.has(part)))
  if (!isByPerson(commit) || !isAbout) return []
  return reasonIn(commit, vocabularyOf(change, entry)).filter(({ isUnread: cannotBeRead }) => !cannotBeRead)
}

/** Commits of repairs describe what was repaired, and decide nothing. */
function isByPerson({ trailers = [] }: CommitText): boolean {
  return !(trailers.includes('Cases-Fixed') && trailers.includes('Run'))
}

function vocabularyOf(
  change: Pick<UndoneChange, 'before' | 'after'>,
  { path, metrics, tokens }: ChangedEntry,
): EditVocabulary {
  const texts = [change.before, change.after].flatMap((text) => tokens(text))
  return { stems: new Set([...texts, path, ...metrics.flatMap(namesOf)].flatMap(stemsOf)) }
}

function textOf({ subject = '', body = '' }: CommitText): string {
  return `${subject}\n${body}`
}

/** Returns a commit without the lines of its message that name another metric whose files it changed, and not this one. */
function withoutOthers(commit: CommitText, { metrics }: ChangedEntry, kb: KnowledgeBase): CommitText {
  const others = kb.metrics.filter((metric) =>
    [metric.path, kb.snippets.get(metric.snippet)?.path].some((path) => isIn(path, commit)),
  )
  const isOwn = (text: string): boolean =>
    metrics.some((metric) => names(text, metric)) || !others.some((metric) => names(text, metric))
  const { subject = '', body = '' } = commit
  return {
    ...commit,
    subject: isOwn(subject) ? subject : undefined,
    body: body.split('\n').filter(isOwn).join('\n'),
  }
}

/** Reports whether a later commit is about the entry: it names it, or changed it and names no other. */
function isLaterAbout(commit: CommitText, { path, metrics }: ChangedEntry, kb: KnowledgeBase): boolean {
  const text = textOf(commit)
  if (metrics.some((metric) => names(text, metric))) return true
  return isIn(path, commit) && !kb.metrics.some((metric) => names(text, metric))
}

function isIn(path: string | undefined, { paths = [] }: CommitText): boolean {
  return path !== undefined && paths.includes(path)
}

/** Keys of trailers that say for whom something was changed; who signed, reviewed or wrote it says nothing of that. */
const namesWhoAsked = /^(?:requested|asked|decided|agreed|wanted)-by$/iu

/** Returns the message of a commit if it gives a reason, or if nobody can tell because of its language. */
function reasonIn(commit: CommitText, vocabulary: EditVocabulary): Reason[] {
  const { by, date, subject = '' } = commit
  const place = `${by}${date === undefined ? '' : ` (${date})`}`
  const asked = commit.trailers?.find((key) => namesWhoAsked.test(key))
  const text = reasonStated(commit, vocabulary) ?? (asked === undefined ? undefined : `${subject} (${asked})`)
  if (text !== undefined) return [{ text, place }]
  return isUnread(commit, vocabulary) ? [{ text: subject, place, isUnread: true }] : []
}

/**
 * Returns sentences beside the entry that the change, or a later one, wrote. Those of the change itself have to say
 * more than the edit; later ones have to mention what was changed, too.
 */
async function statedInText(
  { by }: UndoneChange,
  own: readonly CommitText[],
  later: readonly CommitText[],
  { statements }: ChangedEntry,
  vocabulary: EditVocabulary,
  mentions: (text: string) => boolean,
  { history }: HistoryContext,
): Promise<Reason[]> {
  const found: Reason[] = []
  for (const { text, path, line, isAbout } of statements) {
    const origin = (await history?.lineOrigins?.(path))?.[line - 1]
    const isOwn =
      own.some((commit) => isFrom(origin, commit)) ||
      (origin?.kind === 'uncommitted' && !by.startsWith('commit '))
    const isLater =
      later.some((commit) => isFrom(origin, commit)) || (origin?.kind === 'uncommitted' && !isOwn)
    const isRelevant = (isOwn && (isAbout || mentions(text))) || (isLater && isAbout && mentions(text))
    if (!isRelevant) continue
    // Who writes beside the entry about what the same commit changes in it describes what it now means.
    const isReason = goesBeyondEdit(text, vocabulary) || (isOwn && isAbout && mentions(text))
    if (!isReason && !isUnread({ body: text }, vocabulary)) continue
    if (await isOlder(text, path, origin, history)) continue
    found.push({ text, place: `${path}:${line}`, ...(isReason ? {} : { isUnread: true }) })
  }
  return found
}

/** Reports whether the change that wrote a line found the sentence there: a line of SQL may end with a comment. */
async function isOlder(
  text: string,
  path: string,
  origin: LineOrigin | undefined,
  history: HistoryContext['history'],
): Promise<boolean> {
  const versions = (await history?.versionsOf(path)) ?? []
  const before = versions.find(({ by }) =>
    origin?.kind === 'uncommitted' ? !by.startsWith('commit ') : isFrom(origin, { by }),
  )
  return before !== undefined && onOneLine(before.text).includes(onOneLine(text))
}

/** Returns a text without marks of comments and lists, on one line. */
function onOneLine(text: string): string {
  return text.replaceAll(/^\s*(?:--|#+|[-*+] |\/\*+|\*\/)/gmu, ' ').replaceAll(/\s+/gu, ' ')
}

function isFrom(origin: LineOrigin | undefined, { by }: Pick<CommitText, 'by'>): boolean {
  return origin?.kind === 'commit' && (origin.by.startsWith(by) || by.startsWith(origin.by))
}

/**
 * Returns the other cases of the entry whose expected query the change gave another meaning, or that it removed: who
 * changes knowledge and benchmark together means it.
 */
async function casesChangedWith(
  by: string,
  { metrics }: ChangedEntry,
  plan: RepairPlan,
  kb: KnowledgeBase,
  context: HistoryContext,
): Promise<Reason[]> {
  const changed = (await context.history?.casesChangedBy(by)) ?? []
  return changed.flatMap((former) => {
    if (plan.cases.some(({ id }) => id === former.id)) return []
    const { metric } = interpretationOf(former, kb, context)
    const isNamed = metrics.some(
      (one) => one.id === metric?.id || namesOf(one).some((name) => containsWords(former.question, name)),
    )
    if (!isNamed) return []
    const now = context.benchmark?.find(({ id }) => id === former.id)
    const [before, after] = [former, now].map((one) => one && expectedSqlFor(one, context))
    if (
      before !== undefined &&
      after !== undefined &&
      areEquivalent(context.parser, before, after, context.dialect)
    )
      return []
    const text = `${now === undefined ? 'removed case' : 'also changed the expected query of'} ${former.id}`
    return [{ text, place: by, isDeed: true }]
  })
}
