import type { KnowledgeBase } from '../../../../../kb/entry.js'
import { changedPaths, readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import type { CommitText, HistoryContext } from '../../model/knowledge-history.js'
import { knowledgeBaseOf, tokensOf } from '../../model/repair-context.js'
import { applyPlan, type RepairPlan } from '../../model/sql-repair-types.js'
import { isContradicted } from './contradicted-text.js'
import { type Reason, reasonsForChange } from './reasons-for-change.js'
import { metricsIn, statementsAbout } from './statements.js'
import { type UndoneChange, undoneChanges } from './undone-changes.js'
import { undoneConditions } from './undone-conditions.js'

/** What people wrote that a plan goes against. */
export interface ConflictingIntent {
  readonly path: string
  /** The change that the plan would undo; undefined for a plan that contradicts a sentence of any age. */
  readonly change: (UndoneChange & { readonly commit: CommitText | undefined }) | undefined
  readonly statements: readonly Reason[]
}

/**
 * Returns what people wrote that a plan goes against: the reasons for a change that it would undo, or a sentence beside
 * the query that says outright what the plan would no longer do.
 */
export async function findConflictingIntent(
  plan: RepairPlan,
  snapshot: Snapshot,
  context: HistoryContext,
): Promise<ConflictingIntent | undefined> {
  const candidate = applyPlan(plan, snapshot)
  if (candidate === undefined) return undefined
  // A deleted entry is known only with the plan.
  const [kb, kbThen] = [snapshot, candidate].map((each) => knowledgeBaseOf(each, context)) as [
    KnowledgeBase,
    KnowledgeBase,
  ]
  for (const path of changedPaths(snapshot, candidate)) {
    const [today, planned] = [snapshot, candidate].map((each) => readText(each, path) ?? '') as [
      string,
      string,
    ]
    const isQuery = [...kbThen.snippets.values()].some((snippet) => snippet.path === path)
    const sqlTokens = (text: string) => tokensOf(text, context.dialect, context.parser)
    const tokens = (text: string): readonly string[] =>
      isQuery ? sqlTokens(text).map(({ text: token }) => token.toLowerCase()) : wordsAndSigns(text)
    const metrics = metricsIn(path, kbThen)
    const statements = statementsAbout(metrics, snapshot, kb, context)
    const versions = (await context.history?.versionsOf(path)) ?? []
    const written = undoneChanges(today, planned, versions, tokens)
    const meant = isQuery ? undoneConditions(today, planned, versions, context) : []
    for (const change of [...written, ...meant.filter(({ by }) => !written.some((one) => one.by === by))]) {
      const reasons = await reasonsForChange(change, { path, metrics, statements, tokens }, plan, kb, context)
      if (reasons.length === 0) continue
      const [commit] = (await context.history?.commitsOf?.(change.by)) ?? []
      return { path, change: { ...change, commit }, statements: reasons }
    }
    const contradicted = isQuery
      ? statements.filter(
          ({ text, isAbout }) => isAbout && isContradicted(text, sqlTokens(today), sqlTokens(planned)),
        )
      : []
    if (contradicted.length > 0)
      return {
        path,
        change: undefined,
        statements: contradicted.map(({ text, path: file, line }) => ({ text, place: `${file}:${line}` })),
      }
  }
  return undefined
}

/** Returns the words and signs of a text that is not SQL, without comments. */
function wordsAndSigns(text: string): string[] {
  return text.replaceAll(/(?<=^|\s)#.*$/gmu, '').match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []
}
