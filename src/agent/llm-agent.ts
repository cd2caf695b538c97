import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { Catalogue } from '../engine/contract/engine.js'
import { AutotestError } from '../errors.js'
import { parseKnowledgeBase } from '../kb/parse.js'
import { type QuestionEntry, questionKnowledge } from '../kb/question-entries.js'
import type { Llm, LlmAnswer, LlmQuestion, RoleModel } from '../llm/llm-interface.js'
import type { ChatMessage } from '../llm/provider.js'
import { readText, type Snapshot } from '../snapshot/snapshot.js'
import { loadDefinition } from '../subagent/definition.js'
import type { SubagentDefinition } from '../subagent/definition-types.js'
import { answerTool, createAnswerReader, renderMessages } from '../subagent/prompt.js'
import type { Agent, Question } from './agent.js'
import { commentOnlyText } from './comment-only-sql.js'
import { type Outcome, sqlOutcome } from './external-agent-protocol.js'
import { selectTables } from './relevant-tables.js'

/** A database in the form that the agent uses. */
export interface AgentDatabase {
  readonly catalogue: Catalogue
  /**
   * Returns why the database would reject a query; undefined if it accepts it; absent if it has another
   * dialect.
   */
  readonly refusal: ((sql: string) => Promise<string | undefined>) | undefined
}

export interface LlmAgentOptions {
  readonly kbFolder: string
  readonly agentsFolder: string
  /** File of its definition, relative to the agents folder. */
  readonly definition: string
  readonly llm: Llm
  readonly model: RoleModel
  /** Number of entries that a question is answered from. */
  readonly entries: number
  readonly deterministic: boolean
  /** Whether the agent receives the database's error for its SQL, once. */
  readonly errorTurn: boolean
  /**
   * Returns the database of a question, undefined if there is none; throws `engine_…` if it cannot be used.
   */
  readonly database?: ((question: Question) => Promise<AgentDatabase | undefined>) | undefined
  readonly onNote: (text: string) => void
}

/** Example input and output of the `sql` role. */
export const sqlExample = {
  variables: {
    question: 'orders in November 2025',
    dialect: 'sqlite',
    as_of: '2025-12-31',
    entries: [
      { id: 'snippet:orders.sql', path: 'kb/snippets/orders.sql', text: 'SELECT count(*) FROM orders' },
    ],
    placeholders: [{ name: 'market', meaning: 'the code of the value that the question names' }],
    tables: [{ name: 'orders', columns: [{ name: 'id', type: 'INTEGER' }] }],
  },
  needed: ['question'],
  answers: [sqlForms('SELECT 1')],
}

/** The forms in which definitions ask for a query: beside nothing, or, as in earlier versions, beside an unused message. */
function sqlForms(sql: string): Readonly<Record<string, unknown>>[] {
  return [
    { answer: { kind: 'sql', sql } },
    { type: 'sql', sql, message: null },
    { type: 'sql', sql, message: '' },
    { type: 'sql', sql },
  ]
}

const filled = z.string().refine((text) => text.trim() !== '', 'is empty')

const answer = z.union([
  z
    .object({
      answer: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('sql'), sql: filled }),
        z.object({ kind: z.literal('no_answer'), message: filled }),
      ]),
    })
    .transform((given) => given.answer),
  z
    .object({ type: z.enum(['sql', 'no_answer']), sql: z.string().nullish(), message: z.string().nullish() })
    .transform(({ type, sql, message }, context): StatedAnswer => {
      const text = (type === 'sql' ? sql : message) ?? ''
      if (text.trim() === '')
        context.addIssue({ code: 'custom', message: 'the text that goes with its type is missing' })
      return type === 'sql' ? { kind: 'sql', sql: text } : { kind: 'no_answer', message: text }
    }),
])

/** What a model states: a query, or why there is none. */
type StatedAnswer =
  | { readonly kind: 'sql'; readonly sql: string }
  | { readonly kind: 'no_answer'; readonly message: string }

type Answer = z.output<typeof answer>

/**
 * Creates an agent that is a language model: it receives the entries that a search finds in the snapshot and
 * the tables they name, answers with SQL or a reason for no answer, and may receive the engine's error for
 * its SQL once.
 */
export function llmAgent(options: LlmAgentOptions): Agent {
  const prompts = new LRUCache<string, Prompt>({ max: cachedPrompts })
  const promptFor: PromptFor = (question, snapshot, catalogue, limit) => {
    const { question: words, dialect, asOf, engine } = question
    const key = [snapshot.hash, words, dialect, asOf, engine, limit].join('\0')
    const prompt = prompts.get(key) ?? promptOf(question, snapshot, catalogue, limit, options)
    prompts.set(key, prompt)
    return prompt
  }
  return {
    name: `llm:${options.definition} ${options.model.model}`,
    deterministic: options.deterministic,
    dependent: options.model.temperature === 0 ? 'is asked at temperature 0' : undefined,
    async ask(question, snapshot, signal) {
      const started = performance.now()
      const outcome = await answerQuestion(question, snapshot, options, promptFor, signal)
      return { ...outcome, ms: performance.now() - started }
    },
    async estimate(question, snapshot, answerLength) {
      const database = await databaseOf(question, options)
      // In that case the model is not asked.
      if (database instanceof AutotestError) return undefined
      const prompt = promptFor(question, snapshot, database?.catalogue, undefined)
      return options.llm.estimate(
        turnOf(prompt, prompt.messages, question),
        options.model,
        answerLength + envelopeLength,
      )
    },
    close: () => Promise.resolve(),
  }
}

/** The prompt of a question: the entries found for it, and the messages that show them. */
interface Prompt {
  readonly definition: SubagentDefinition
  readonly entries: readonly QuestionEntry[]
  readonly messages: readonly ChatMessage[]
}

/** The schema does not change during a run, and neither does the prompt of equal questions. */
type PromptFor = (
  question: Question,
  snapshot: Snapshot,
  catalogue: Catalogue | undefined,
  limit: number | undefined,
) => Prompt

/** Number of characters of an answer besides its SQL. */
const envelopeLength = JSON.stringify(sqlForms('')[0]).length

/** A case is asked several times with the same prompt. */
const cachedPrompts = 500

async function answerQuestion(
  question: Question,
  snapshot: Snapshot,
  options: LlmAgentOptions,
  promptFor: PromptFor,
  signal: AbortSignal | undefined,
): Promise<Outcome> {
  const database = await databaseOf(question, options)
  if (database instanceof AutotestError) return { kind: 'error', message: database.message }
  for (let limit: number | undefined; ; ) {
    const prompt = promptFor(question, snapshot, database?.catalogue, limit)
    const refusal = options.errorTurn ? database?.refusal : undefined
    const found = await answerFrom(prompt, question, options, refusal, signal)
    if (found.kind !== 'too_long') return outcomeOf(found, prompt.entries)
    if (prompt.entries.length === 0) return { kind: 'error', message: found.message }
    limit = Math.floor(prompt.entries.length / 2)
    const fewer = limit === 1 ? '1 entry' : `${limit} entries`
    options.onNote(`${question.id}: the prompt is too long for the model; asking with ${fewer}`)
  }
}

/**
 * Opens the database of a question. A case may specify its own engine: if that cannot be opened, it is an
 * error of this case only.
 */
async function databaseOf(
  question: Question,
  options: LlmAgentOptions,
): Promise<AgentDatabase | AutotestError | undefined> {
  try {
    return await options.database?.(question)
  } catch (error) {
    if (error instanceof AutotestError && error.code.startsWith('engine_')) return error
    throw error
  }
}

function promptOf(
  question: Question,
  snapshot: Snapshot,
  catalogue: Catalogue | undefined,
  limit: number | undefined,
  options: LlmAgentOptions,
): Prompt {
  const { definition } = loadDefinition(snapshot, options.agentsFolder, options.definition)
  const known = questionKnowledge(
    parseKnowledgeBase(snapshot, options.kbFolder),
    question.question,
    question.asOf,
    options.entries,
    (path) => readText(snapshot, path) ?? '',
  )
  // The most important come first.
  const entries = known.entries.slice(0, limit)
  const variables: Readonly<Record<keyof typeof sqlExample.variables, unknown>> = {
    question: question.question,
    dialect: question.dialect,
    as_of: question.asOf,
    entries,
    placeholders: known.placeholders,
    tables: selectTables(catalogue, [question.question, known.queries].join('\n')),
  }
  return { definition, entries, messages: renderMessages(definition, variables) }
}

async function answerFrom(
  prompt: Prompt,
  question: Question,
  options: LlmAgentOptions,
  refusal: AgentDatabase['refusal'],
  signal: AbortSignal | undefined,
): Promise<LlmAnswer<Answer>> {
  const { definition, messages } = prompt
  const ask = (turns: readonly ChatMessage[]): Promise<LlmAnswer<Answer>> =>
    options.llm.ask({ ...turnOf(prompt, turns, question), signal }, options.model)
  const first = await ask(messages)
  const error = definition.maxTurns > 1 ? await refusalOf(first, refusal) : undefined
  if (error === undefined || first.kind !== 'answer') return first
  const second = await ask([
    ...messages,
    { role: 'assistant', content: first.text },
    { role: 'user', content: `The database rejects this query: ${error}\nAnswer again.` },
  ])
  return second.kind === 'answer' ? second : first
}

function turnOf(
  { definition }: Prompt,
  messages: readonly ChatMessage[],
  { id: caseId, sample }: Question,
): LlmQuestion<Answer> {
  return {
    role: 'sql',
    caseId,
    sample,
    messages,
    answer: answerTool(definition),
    read: createAnswerReader(definition, answer),
    // Definitions differ in what they want beside the query.
    fromSql: sqlForms,
  }
}

async function refusalOf(
  found: LlmAnswer<Answer>,
  refusal: AgentDatabase['refusal'],
): Promise<string | undefined> {
  if (found.kind !== 'answer' || found.value.kind !== 'sql') return undefined
  const { sql } = found.value
  // A comment that explains why there is no query is a valid answer.
  return commentOnlyText(sql) === undefined ? refusal?.(sql) : undefined
}

function outcomeOf(
  found: Exclude<LlmAnswer<Answer>, { kind: 'too_long' }>,
  entries: readonly QuestionEntry[],
): Outcome {
  if (found.kind === 'unavailable') return { kind: 'error', message: found.message }
  const read = entries.map(({ id }) => id)
  if (found.kind === 'unusable') return { kind: 'unreadable', message: found.message, read }
  const { value } = found
  return value.kind === 'sql'
    ? sqlOutcome(value.sql, read)
    : { kind: 'no_answer', message: value.message, read }
}
