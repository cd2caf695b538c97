import type { SqlCase } from '../../../../../benchmark/case.js'
import type { KnowledgeBase, Metric } from '../../../../../kb/entry.js'
import { changedPaths, readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import { wordsAndSigns } from '../../../../../text/words-and-signs.js'
import type { BreakingChange } from '../../model/breaking-change.js'
import type { CommitText, HistoryContext } from '../../model/knowledge-history.js'
import { interpretationOf, knowledgeBaseOf, tokensOf } from '../../model/repair-context.js'
import { applyPlan, type RepairPlan } from '../../model/sql-repair-types.js'
import { isContradicted, statesReplacedNumber } from './contradicted-text.js'
import { type ChangedEntry, type Reason, reasonsAtBoundary, reasonsForChange } from './reasons-for-change.js'
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
 * Returns what people wrote that a plan goes against: the reasons for a change that it would undo, in words or in effect, or a sentence beside
 * the query that says outright what the plan would no longer do.
 *
 * @param breaking returns the change with which a case began to fail
 */
export async function findConflictingIntent(
  plan: RepairPlan,
  snapshot: Snapshot,
  context: HistoryContext,
  breaking: (testCase: SqlCase) => Promise<BreakingChange | undefined>,
): Promise<ConflictingIntent | undefined> {
  const candidate = applyPlan(plan, snapshot)
  if (candidate === undefined) return undefined
  // A deleted entry is known only with the plan.
  const [kb, kbThen] = [snapshot, candidate].map((each) => knowledgeBaseOf(each, context)) as [
    KnowledgeBase,
    KnowledgeBase,
  ]
  const sqlTokens = (text: string) => tokensOf(text, context.dialect, context.parser)
  const entryOf = (path: string, metrics: readonly Metric[]): ChangedEntry => {
    const isQuery = [kb, kbThen].some(({ snippets }) =>
      [...snippets.values()].some((each) => each.path === path),
    )
    const tokens = isQuery
      ? (each: string) => sqlTokens(each).map(({ text: token }) => token.toLowerCase())
      : tokensOfProse
    return { path, metrics, statements: statementsAbout(metrics, snapshot, kb, context), tokens }
  }
  const heldBy = async (
    change: UndoneChange,
    entry: ChangedEntry,
  ): Promise<ConflictingIntent | undefined> => {
    const statements = await reasonsForChange(change, entry, plan, kb, context)
    if (statements.length === 0) return undefined
    const [commit] = (await context.history?.commitsOf?.(change.by)) ?? []
    return { path: entry.path, change: { ...change, commit }, statements }
  }

  for (const path of changedPaths(snapshot, candidate)) {
    const [today = '', planned = ''] = [snapshot, candidate].map((each) => readText(each, path) ?? '')
    const isQuery = [...kbThen.snippets.values()].some((snippet) => snippet.path === path)
    const entry = entryOf(path, metricsIn(path, kbThen))
    const versions = (await context.history?.versionsOf(path)) ?? []
    const written = undoneChanges(today, planned, versions, entry.tokens)
    const meant = isQuery ? undoneConditions(today, planned, versions, context) : []
    for (const change of [...written, ...meant.filter(({ by }) => !written.some((one) => one.by === by))]) {
      const held = await heldBy(change, entry)
      if (held !== undefined) return held
    }
    const boundary = versions.length > 0 ? undefined : await context.history?.boundary?.()
    const reasons =
      boundary === undefined ? [] : reasonsAtBoundary(boundary, { before: planned, after: today }, entry, kb)
    if (reasons.length > 0) return { path, change: undefined, statements: reasons }
    const contradicted = isQuery
      ? entry.statements.filter(
          ({ text, isAbout }) =>
            isContradicted(text, sqlTokens(today), sqlTokens(planned)) ||
            (isAbout && statesReplacedNumber(text, sqlTokens(today), sqlTokens(planned))),
        )
      : []
    if (contradicted.length > 0)
      return {
        path,
        change: undefined,
        statements: contradicted.map(({ text, path: file, line }) => ({ text, place: `${file}:${line}` })),
      }
  }

  const asked = metricsOf(plan.cases, [kb, kbThen], context)
  const seen = new Set<string>()
  for (const testCase of plan.cases) {
    const broken = await breaking(testCase)
    if (broken === undefined || seen.has(broken.by)) continue
    seen.add(broken.by)
    const changes = broken.paths.map((path) => {
      const [before = '', after = ''] = [broken.before, broken.after].map((each) => readText(each, path))
      return { path, change: { by: broken.by, before, after } }
    })
    for (const { path, change } of changes) {
      const held = await heldBy(change, entryOf(path, asked))
      if (held === undefined) continue
      // The lines that the plan takes back are shown, whichever file has the reason.
      const shown = changes.find((each) => changedPaths(snapshot, candidate).includes(each.path))
      return shown === undefined
        ? held
        : { ...held, path: shown.path, change: { ...shown.change, commit: held.change?.commit } }
    }
  }
  return undefined
}

/** Returns the metrics that questions resolve to in any of some states of the knowledge base, as the last one declares them. */
function metricsOf(
  cases: RepairPlan['cases'],
  states: readonly KnowledgeBase[],
  context: HistoryContext,
): Metric[] {
  const metrics = states.flatMap((kb) =>
    cases.flatMap((testCase) => interpretationOf(testCase, kb, context).metric ?? []),
  )
  return [...new Map(metrics.map((metric) => [metric.id, metric])).values()]
}

/** Returns the words and signs of a text that is not SQL, without comments. */
function tokensOfProse(text: string): string[] {
  return wordsAndSigns(text.replaceAll(/(?<=^|\s)#.*$/gmu, ''))
}
