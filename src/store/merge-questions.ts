import type { QuestionDraft, QuestionOption } from './question-types.js'

/** Returns the question about a subject, in one sentence. */
export function conflictQuestion(subject: string, ids: readonly string[]): string {
  return `which is right: ${subject} as it is, or what ${ids.join(', ')} ${ids.length === 1 ? 'expects' : 'expect'}?`
}

/** Returns both ways to settle a question about these cases. */
export function conflictOptions(ids: readonly string[]): readonly QuestionOption[] {
  return [
    {
      answer: 'follow_knowledge',
      how:
        ids.length === 1
          ? `replace the expected query of ${ids.join()} with the query below`
          : `replace the expected queries of ${ids.join(', ')} with the queries below`,
    },
    {
      answer: 'follow_benchmark',
      how: `autotest ${ids.map((id) => `--follow-benchmark ${id}`).join(' ')}`,
    },
  ]
}

/**
 * Returns one question for two about the same subject: people decide once, for the cases of both, and see what
 * speaks against either repair.
 */
export function mergeQuestions(one: QuestionDraft, other: QuestionDraft): QuestionDraft {
  const cases = distinct([...one.cases, ...other.cases], ({ id }) => id)
  const statements = distinct(
    [...one.statements, ...other.statements],
    ({ text, place }) => `${place}\0${text}`,
  )
  const ids = cases.map(({ id }) => id)
  const repair = one.repair ?? other.repair
  return {
    kind: one.kind,
    subject: one.subject,
    question: conflictQuestion(one.subject, ids),
    change: one.change ?? other.change,
    statements,
    cases,
    options: [
      ...conflictOptions(ids),
      ...distinct([...one.options, ...other.options], ({ how }) => how).filter(
        ({ answer }) => answer === 'accept',
      ),
    ],
    ...(repair === undefined ? {} : { repair }),
  }
}

function distinct<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const keys = items.map(keyOf)
  return items.filter((_, at) => keys.indexOf(keys[at] ?? '') === at)
}
