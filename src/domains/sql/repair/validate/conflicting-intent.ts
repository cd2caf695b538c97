import { diffLines } from 'diff'
import type { SqlCase } from '../../../../benchmark/case.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { conflictOptions, conflictQuestion } from '../../../../store/merge-questions.js'
import type { ChangeReference, QuestionDraft } from '../../../../store/question-types.js'
import { breakingChangeOf } from '../model/breaking-change.js'
import type { CommitText } from '../model/knowledge-history.js'
import { interpretationOf, knowledgeBaseOf, renderQuery } from '../model/repair-context.js'
import type { ScoringContext } from '../model/scoring-context.js'
import type { RepairPlan } from '../model/sql-repair-types.js'
import { type ConflictingIntent, findConflictingIntent } from './intent/find-conflicting-intent.js'

/** How many lines of a change are shown on each side. */
const maxLines = 4

/** Returns the question to people if what they wrote opposes a plan, and the cause for its cases. */
export async function conflictingIntent(
  plan: RepairPlan,
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<{ readonly cause: string; readonly question: QuestionDraft } | undefined> {
  const conflict = await findConflictingIntent(plan, snapshot, context, (testCase) =>
    breakingChangeOf(testCase, snapshot, context),
  )
  if (conflict === undefined) return undefined
  const ids = plan.cases.map(({ id }) => id)
  return {
    cause: describe(conflict),
    question: {
      kind: 'conflicting_intent',
      subject: plan.subject,
      question: conflictQuestion(plan.subject, ids),
      change: conflict.change && { ...reference(conflict.change), ...linesOf(conflict) },
      statements: conflict.statements.map(({ text, place }) => ({ text, place })),
      cases: await Promise.all(plan.cases.map((testCase) => sideOf(testCase, snapshot, context))),
      options: conflictOptions(ids),
    },
  }
}

function describe({ change, statements }: ConflictingIntent): string {
  const quotes = statements
    .slice(0, 2)
    .map(({ text, place, isDeed }) => (isDeed === true ? `${place} ${text}` : `${place} says "${text}"`))
  const reasons = `${quotes.join(' and ')}${statements.length > 2 ? ', and more' : ''}`
  if (change === undefined) return `a repair would contradict what is written: ${reasons}`
  const isOwn = statements.some(({ place }) => place.startsWith(change.by))
  if (statements.every(({ isUnread }) => isUnread === true))
    return `perhaps changed on purpose${isOwn ? '' : ` by ${change.by}`}, in words that are not understood: ${reasons}`
  return `changed on purpose${isOwn ? '' : ` by ${change.by}`}: ${reasons}`
}

/** Returns both states of the lines that the change is about. */
function linesOf({ path, change }: ConflictingIntent): Pick<ChangeReference, 'lines'> {
  if (change === undefined) return {}
  const parts = diffLines(change.before, change.after)
  const side = (which: 'added' | 'removed'): string[] =>
    parts
      .filter((part) => part[which])
      .flatMap(({ value }) => value.trimEnd().split('\n'))
      .slice(0, maxLines)
  return { lines: { path, before: side('removed'), after: side('added') } }
}

async function sideOf(
  testCase: SqlCase,
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<QuestionDraft['cases'][number]> {
  const kb = knowledgeBaseOf(snapshot, context)
  const meaning = interpretationOf(testCase, kb, context)
  const changed = await context.history?.lastChangeOf?.(testCase)
  return {
    id: testCase.id,
    changed: changed && reference({ by: changed.by, commit: changed }),
    answer:
      meaning.kind === 'bound'
        ? renderQuery(meaning.metric, meaning.bindings, kb, context)?.trim()
        : undefined,
  }
}

function reference({
  by,
  commit,
}: {
  readonly by: string
  readonly commit: CommitText | undefined
}): ChangeReference {
  return { by, date: commit?.date, subject: commit?.subject }
}
