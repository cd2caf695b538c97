import { z } from 'zod'
import type { Catalogue } from '../engine/engine.js'
import type { Llm, LlmAnswer, RoleModel } from '../llm/llm.js'
import { canonicalForm } from '../sql/canonical.js'
import type { SqlParser } from '../sql/parser.js'
import type { SubagentDefinition } from '../subagent/definition.js'
import { answerTool, messagesOf, readingBy } from '../subagent/prompt.js'
import type { Judge, JudgedPair } from './judge.js'
import type { JudgeFinding } from './judge-finding.js'

export interface LlmJudgeOptions {
  readonly llm: Llm
  readonly model: RoleModel
  readonly definition: SubagentDefinition
  readonly loadParser: () => Promise<SqlParser>
}

/** What the template of the `judge` role may use. */
export const judgeVariables = ['question', 'dialect', 'first', 'second', 'tables', 'differences'] as const

const vote = z.object({ answer: z.enum(['equivalent', 'not', 'unsure']), reason: z.string() })
type Vote = z.output<typeof vote>

/**
 * A model that is asked twice, with the queries in swapped order: only votes that agree count. A pair that was judged,
 * whatever case it came from, is not judged again.
 */
export function llmJudge(options: LlmJudgeOptions): Judge {
  const findings = new Map<string, Promise<JudgeFinding>>()
  return {
    async decide(pair) {
      const key = await keyOf(pair, options)
      const deciding = findings.get(key) ?? decide(pair, options)
      findings.set(key, deciding)
      const finding = await deciding.catch((error: unknown) => {
        findings.delete(key)
        throw error
      })
      return finding
    },
  }
}

/** Both canonical forms, the dialect, the judge's definition and its model. */
async function keyOf(
  { expected, generated, dialect }: JudgedPair,
  { loadParser, definition, model }: LlmJudgeOptions,
): Promise<string> {
  const parser = await loadParser()
  const forms = [expected, generated].map((sql) => canonicalForm(parser, sql, dialect) ?? sql)
  return [...forms, dialect, definition.hash, model.model].join('\0')
}

async function decide(pair: JudgedPair, options: LlmJudgeOptions): Promise<JudgeFinding> {
  const catalogue = await pair.engine.catalogue()
  const first = await ask(pair, pair.expected, pair.generated, catalogue, options)
  // Nothing that is said the other way round can make this one count.
  if (first.kind !== 'answer') return { answer: 'unsure', reason: first.message }
  if (first.value.answer === 'unsure') return first.value
  const second = await ask(pair, pair.generated, pair.expected, catalogue, options)
  if (second.kind !== 'answer') return { answer: 'unsure', reason: second.message }
  if (second.value.answer === first.value.answer) return first.value
  return { answer: 'unsure', reason: 'two votes, with the queries in swapped order, do not agree' }
}

function ask(
  { testCase, dialect, differences }: JudgedPair,
  first: string,
  second: string,
  { tables }: Catalogue,
  { llm, model, definition }: LlmJudgeOptions,
): Promise<LlmAnswer<Vote>> {
  const words = new Set(`${first} ${second}`.toLowerCase().match(/[\p{L}\p{N}_]+/gu))
  const named = tables.filter(({ name }) => words.has(name.slice(name.lastIndexOf('.') + 1).toLowerCase()))
  const variables: Readonly<Record<(typeof judgeVariables)[number], unknown>> = {
    question: testCase.question,
    dialect,
    first,
    second,
    differences,
    tables: named.map(({ name, columns }) => ({ name, columns: columns.map((column) => ({ ...column })) })),
  }
  return llm.ask(
    {
      role: 'judge',
      caseId: testCase.id,
      sample: 0,
      messages: messagesOf(definition, variables),
      answer: answerTool(definition),
      read: readingBy(definition, vote),
    },
    model,
  )
}
