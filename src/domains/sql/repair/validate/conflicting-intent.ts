import type { SqlCase } from '../../../../benchmark/case.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import type { ChangeReference, QuestionDraft } from '../../../../store/record-types.js'
import type { CommitText, HistoryContext } from '../model/knowledge-history.js'
import { interpretationOf, knowledgeBaseOf, renderQuery } from '../model/repair-context.js'
import type { RepairPlan } from '../model/sql-repair-types.js'
import { type ConflictingIntent, findConflictingIntent } from './intent/find-conflicting-intent.js'

/** Returns the question to people if what they wrote opposes a plan, and the cause for its cases. */
export async function conflictingIntent(
  plan: RepairPlan,
  snapshot: Snapshot,
  context: HistoryContext,
): Promise<{ readonly cause: string; readonly question: QuestionDraft } | undefined> {
  const conflict = await findConflictingIntent(plan, snapshot, context)
  if (conflict === undefined) return undefined
  const cause = describe(conflict)
  const ids = plan.cases.map(({ id }) => id)
  return {
    cause,
    question: {
      kind: 'conflicting_intent',
      subject: plan.subject,
      question: `is ${plan.subject} right as it is, or do ${ids.join(', ')} expect the right answer?`,
      change: conflict.change && reference(conflict.change),
      statements: conflict.statements,
      cases: await Promise.all(plan.cases.map((testCase) => sideOf(testCase, snapshot, context))),
      options: [
        {
          answer: 'follow_knowledge',
          how: `replace the expected query of ${ids.join(', ')} with the query below`,
        },
        {
          answer: 'follow_benchmark',
          how: `autotest ${ids.map((id) => `--follow-benchmark ${id}`).join(' ')}`,
        },
      ],
    },
  }
}

function describe({ change, statements }: ConflictingIntent): string {
  const quotes = statements.slice(0, 2).map(({ text, place }) => `${place} says "${text}"`)
  const said = `${quotes.join(' and ')}${statements.length > 2 ? ', and more' : ''}`
  if (change === undefined) return `a repair would contradict what is written: ${said}`
  const isOwn = statements.some(({ place }) => place.startsWith(change.by))
  return `changed on purpose${isOwn ? '' : ` by ${change.by}`}: ${said}`
}

async function sideOf(
  testCase: SqlCase,
  snapshot: Snapshot,
  context: HistoryContext,
): Promise<QuestionDraft['cases'][number]> {
  const kb = knowledgeBaseOf(snapshot, context)
  const meaning = interpretationOf(testCase, kb, context)
  const changed = await context.history?.lastChangeOf?.(testCase)
  return {
    id: testCase.id,
    changed: changed && reference(changed),
    answer:
      meaning.kind === 'bound'
        ? renderQuery(meaning.metric, meaning.bindings, kb, context)?.trim()
        : undefined,
  }
}

function reference({ by, date, subject }: CommitText): ChangeReference {
  return { by, date, subject }
}
