import type { AcceptedRepair } from '../../repair/model/repair-input.js'
import { describeWarnings, plural } from '../../report/format-text.js'

export interface CommitMessage {
  readonly subject: string
  readonly body: string
  readonly trailers: Readonly<Record<string, string>>
}

const maxSubjectLength = 72

/** Returns subject, reasons and trailers of the commit of repairs that change a common file. */
export function commitMessage(repairs: readonly AcceptedRepair[], runId: string): CommitMessage {
  const attempts = repairs.map(({ attempt }) => attempt)
  const title = attempts.map((attempt) => attempt.title).join('; ')
  const count = (pick: (attempt: (typeof attempts)[number]) => number): number =>
    attempts.reduce((sum, attempt) => sum + pick(attempt), 0)
  const cases = [...new Set(attempts.flatMap((attempt) => attempt.cases))]
  return {
    subject: title.length > maxSubjectLength ? `${title.slice(0, maxSubjectLength - 1)}…` : title,
    body: attempts
      .flatMap(({ reasoning, evidence }) => [
        reasoning,
        ...(evidence === undefined ? [] : describeWarnings(evidence).map((text) => `Warning: ${text}`)),
      ])
      .join('\n\n'),
    trailers: {
      Run: runId,
      'Cases-Fixed': cases.join(', '),
      Grade: attempts.some((attempt) => attempt.grade === 'E1') ? 'E1' : 'E2',
      Evidence: [
        plural(cases.length, 'case'),
        ...part(
          count((attempt) => attempt.evidence?.twins.passed ?? 0),
          (twins) => plural(twins, 'twin'),
        ),
        ...heldOutOf(attempts),
        ...part(
          count((attempt) => attempt.evidence?.affected.passed ?? 0),
          (readers) => `${plural(readers, 'case')} using it unchanged`,
        ),
      ].join(', '),
      Cost: plural(
        count((attempt) => attempt.llmCalls),
        'LLM call',
      ),
    },
  }
}

/** Returns the held-out cases of repairs whose grade rests on them. */
function heldOutOf(attempts: readonly AcceptedRepair['attempt'][]): string[] {
  const passed = attempts.map(({ grade, evidence }) => (grade === 'E2' ? (evidence?.heldOut.passed ?? 0) : 0))
  return part(
    passed.reduce((sum, each) => sum + each, 0),
    (cases) => `${cases} held out`,
  )
}

function part(count: number, words: (count: number) => string): string[] {
  return count === 0 ? [] : [words(count)]
}
