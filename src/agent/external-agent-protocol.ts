import { z } from 'zod'
import type { EntriesRead, Sample } from '../contracts/agent-answer.js'
import type { Dialect } from '../enums/dialect.js'
import { findDuplicateKey } from '../llm/reply-json.js'
import type { Question } from './agent.js'
import { commentOnlyText } from './comment-only-sql.js'

/** The request to an external agent. */
export interface AgentRequest {
  readonly id: string
  readonly question: string
  /** Absolute path of a folder with the knowledge base, read-only. */
  readonly kb: string
  readonly dialect: Dialect
  /** ISO date that relative periods refer to. */
  readonly as_of: string
}

const nonBlankText = z.string().refine((text) => text.trim() !== '')

/** Further keys are allowed and ignored. */
const answerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sql'), sql: nonBlankText, read: z.array(z.string()).optional() }),
  z.object({ type: z.literal('no_answer'), message: nonBlankText, read: z.array(z.string()).optional() }),
])

export const expectedAnswer =
  'expected {"type": "sql", "sql": "…", "read": ["metric:…"]} (read is optional) or {"type": "no_answer", "message": "…"}'

/** A sample without the time it took. */
export type Outcome = Sample extends infer S ? (S extends Sample ? Omit<S, 'ms'> : never) : never

export function requestFor(question: Question, kb: string): AgentRequest {
  return { id: question.id, question: question.question, kb, dialect: question.dialect, as_of: question.asOf }
}

/**
 * Converts an answer to a sample; an invalid answer becomes an error that shows it.
 *
 * @param shown returns the answer as text, without secrets
 * @param text the answer as written; absent if it never was text
 */
export function readAnswer(answer: unknown, shown: () => string, text = ''): Outcome {
  const doubled = findDuplicateKey(text)
  if (doubled !== undefined)
    return { kind: 'error', message: `the answer is ambiguous: ${doubled}`, detail: expectedAnswer }
  const result = answerSchema.safeParse(answer)
  if (!result.success)
    return {
      kind: 'error',
      message: `the answer has the wrong format: ${excerpt(shown())}`,
      detail: expectedAnswer,
    }
  const read = result.data.read ?? 'all'
  return result.data.type === 'sql'
    ? sqlOutcome(result.data.sql, read)
    : { kind: 'no_answer', message: result.data.message, read }
}

/** Converts a SQL text to an outcome: if it is only a comment, that is the reason for no answer. */
export function sqlOutcome(sql: string, read: EntriesRead): Outcome {
  const words = commentOnlyText(sql)
  return words === undefined
    ? { kind: 'answer', text: sql, read }
    : { kind: 'no_answer', message: `${excerpt(words)} (a comment in place of a query)`, read }
}

/**
 * Returns one line of at most 200 characters. The text must be without secrets: a truncated secret would not
 * be recognised.
 */
export function excerpt(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  if (line === '') return '(nothing)'
  return line.length > 200 ? `${line.slice(0, 199)}…` : line
}
