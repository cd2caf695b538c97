import { type KnowledgeBase, namedSnippets } from '../kb/entry.js'
import { parseKnowledgeBase } from '../kb/parse.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import { type StatementContext, statementFindings } from './check-statements.js'
import { collidingWordFindings } from './colliding-words.js'
import { compareByPosition, type LintFinding } from './finding.js'
import { textConsistencyFindings } from './text-consistency.js'
import { valueNotFoundFindings } from './value-not-found.js'

export type { LintFinding } from './finding.js'

export interface LintReport {
  readonly metrics: number
  readonly snippets: number
  readonly notes: number
  /** Sorted by file and position. */
  readonly findings: readonly LintFinding[]
}

export interface LintContext extends StatementContext {
  /** Whether to query rows, too: one short query for each string that a query compares a column with. */
  readonly readsData: boolean
  /** Files that could not be read into the snapshot, and why. */
  readonly unread: readonly { readonly path: string; readonly message: string }[]
  /** What files nothing reads, in words; absent if there are none. */
  readonly notRead?: string | undefined
  /** Files that git has and that are not on disk, with the command that puts each there. */
  readonly absent: readonly { readonly path: string; readonly state: string; readonly command: string }[]
}

/**
 * Returns the problems of a knowledge base without asking any question. The database explains its queries and
 * runs none, unless the context allows reading rows. Throws the engine's error if the engine itself fails.
 */
export async function lintKnowledge(
  snapshot: Snapshot,
  folder: string,
  context: LintContext,
): Promise<LintReport> {
  const kb = parseKnowledgeBase(snapshot, folder)
  const textOf = (path: string): string => new TextDecoder().decode(snapshot.files.get(path))
  const named = namedSnippets(kb)
  const unused = [...kb.snippets.values()]
    .filter(({ name }) => !named.has(name))
    .map(
      ({ path }): LintFinding => ({
        rule: 'unused_snippet',
        severity: 'warning',
        path,
        line: 1,
        column: 1,
        message: 'no metric uses this snippet',
        hint: 'Use it in a metric, or remove it.',
      }),
    )
  const unread = context.unread.map(
    ({ path, message }): LintFinding => ({
      rule: 'invalid_entry',
      severity: 'error',
      path,
      line: 1,
      column: 1,
      message,
    }),
  )
  const absent = context.absent.map(
    ({ path, state, command }): LintFinding => ({
      rule: 'not_checked_out',
      severity: 'error',
      path,
      line: 1,
      column: 1,
      message: `is ${state}`,
      hint: `Run: ${command}`,
    }),
  )
  // What refers to such a file is right.
  const problems = kb.problems.filter(
    ({ hint }) => !context.absent.some(({ path }) => hint?.includes(path) === true),
  )
  const findings: LintFinding[] = [
    ...unread,
    ...absent,
    ...unreadFindings(kb, folder, context.notRead),
    ...problems.map(({ entry: _entry, ...problem }) => ({ rule: 'invalid_entry' as const, ...problem })),
    ...unused,
    ...collidingWordFindings(kb, textOf),
    ...(await statementFindings(kb, context)),
    ...(context.readsData && context.engine !== undefined
      ? await valueNotFoundFindings(kb, context.engine, context.limits, textOf)
      : []),
    ...textConsistencyFindings(kb, await context.engine?.catalogue(), textOf),
  ]
  return {
    metrics: kb.metrics.length + kb.broken.length,
    snippets: kb.snippets.size,
    notes: kb.notes.length,
    findings: findings.sort(compareByPosition),
  }
}

/** A knowledge base without an entry answers nothing, whatever its files say. */
function unreadFindings(kb: KnowledgeBase, folder: string, notRead: string | undefined): LintFinding[] {
  const isEmpty = kb.metrics.length + kb.broken.length + kb.snippets.size + kb.notes.length === 0
  const at = { rule: 'unread_file', path: folder, line: 1, column: 1 } as const
  return [
    ...(isEmpty ? [{ ...at, severity: 'error' as const, message: 'the knowledge base has no entry' }] : []),
    ...(notRead === undefined ? [] : [{ ...at, severity: 'warning' as const, message: notRead }]),
  ]
}
