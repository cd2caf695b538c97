import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { Catalogue } from '../../engine/contract/engine.js'
import { AutotestError } from '../../errors.js'
import type { Llm, LlmAnswer, RoleModel } from '../../llm/llm-interface.js'
import { canonicalForm, type SqlParser } from '../../sql/index.js'
import type { SubagentDefinition } from '../../subagent/definition-types.js'
import { answerTool, createAnswerReader, renderMessages } from '../../subagent/prompt.js'
import type { JudgeFinding } from '../model/judge-finding.js'
import type { Judge, JudgedPair, JudgementStore } from './judge.js'
import type { JudgeCalibration } from './judge-calibration.js'

export interface LlmJudgeOptions {
  readonly llm: Llm
  readonly model: RoleModel
  readonly definition: SubagentDefinition
  readonly loadParser: () => Promise<SqlParser>
  /** Of earlier runs; absent: every pair is judged anew. */
  readonly judgements?: JudgementStore | undefined
  /** Passed before it is asked for the first time in a run; absent: it is trusted. */
  readonly test?: JudgeCalibration | undefined
}

/** Example variables and answers with which a definition of the `judge` role is checked. */
export const judgeExample = {
  variables: {
    question: 'orders in November 2025',
    dialect: 'sqlite',
    first: 'SELECT count(*) FROM orders',
    second: 'SELECT count(id) FROM orders',
    tables: [{ name: 'orders', columns: [{ name: 'id', type: 'INTEGER' }] }],
    differences: 'column 1: count(*) instead of count(id)',
  },
  needed: ['first', 'second'],
  answers: [[{ answer: 'equivalent', reason: 'x' }], [{ answer: 'not', reason: 'x' }]],
}

const voteSchema = z.object({ answer: z.enum(['equivalent', 'not', 'unsure']), reason: z.string() })
type Vote = z.output<typeof voteSchema>

/**
 * Creates a judge that asks a model twice, with the queries in swapped order: only two equal votes count. A
 * pair that was judged, for whichever case, is not judged again, nor in a later run if judgements are stored.
 */
export function createLlmJudge(options: LlmJudgeOptions): Judge {
  const findings = new Map<string, Promise<JudgeFinding>>()
  return {
    async decide(pair) {
      const tables = mentionedTables(pair, await pair.engine.catalogue())
      const key = await keyOf(pair, tables, options)
      const deciding = findings.get(key) ?? decide(key, pair, tables, options)
      findings.set(key, deciding)
      const finding = await deciding.catch((error: unknown) => {
        findings.delete(key)
        throw error
      })
      return finding
    },
  }
}

type Tables = Catalogue['tables']

/** Returns a key of both canonical forms, the dialect, the tables, the judge's definition and its model. */
async function keyOf(
  { expected, generated, dialect }: JudgedPair,
  tables: Tables,
  { loadParser, definition, model }: LlmJudgeOptions,
): Promise<string> {
  const parser = await loadParser()
  const forms = [expected, generated].map((sql) => canonicalForm(parser, sql, dialect) ?? sql)
  const parts = [...forms, dialect, JSON.stringify(tables), definition.hash, model.model]
  return createHash('sha256').update(parts.join('\0')).digest('hex')
}

async function decide(
  key: string,
  pair: JudgedPair,
  tables: Tables,
  options: LlmJudgeOptions,
): Promise<JudgeFinding> {
  const known = options.judgements?.find(key)
  if (known !== undefined) return known
  const fault = await options.test?.(pair)
  if (fault !== undefined)
    return { answer: 'unsure', reason: `the judge is not used, as it failed its test: ${fault}` }
  const first = await ask(pair, pair.expected, pair.generated, tables, options)
  // Without the first vote, the second cannot agree with it.
  if (first.kind !== 'answer') return withoutVote(first)
  const second =
    first.value.answer === 'unsure'
      ? undefined
      : await ask(pair, pair.generated, pair.expected, tables, options)
  if (second !== undefined && second.kind !== 'answer') return withoutVote(second)
  const finding: JudgeFinding =
    second === undefined || second.value.answer === first.value.answer
      ? first.value
      : { answer: 'unsure', reason: 'two votes, with the queries in swapped order, disagree' }
  options.judgements?.keep(key, finding, options.model.model)
  return finding
}

/** Returns `unsure` if the judge gave no usable answer, which is no evidence about the queries. */
function withoutVote({ kind, message }: Exclude<LlmAnswer<Vote>, { kind: 'answer' }>): JudgeFinding {
  if (kind === 'unavailable') throw new AutotestError('judge_unavailable', message)
  return { answer: 'unsure', reason: message }
}

function mentionedTables({ expected, generated }: JudgedPair, { tables }: Catalogue): Tables {
  const words = new Set(`${expected} ${generated}`.toLowerCase().match(/[\p{L}\p{N}_]+/gu))
  return tables.filter(({ name }) => words.has(name.slice(name.lastIndexOf('.') + 1).toLowerCase()))
}

function ask(
  { testCase, dialect, differences, signal }: JudgedPair,
  first: string,
  second: string,
  tables: Tables,
  { llm, model, definition }: LlmJudgeOptions,
): Promise<LlmAnswer<Vote>> {
  const variables: Readonly<Record<keyof typeof judgeExample.variables, unknown>> = {
    question: testCase.question,
    dialect,
    first,
    second,
    differences,
    tables: tables.map(({ name, columns }) => ({ name, columns: columns.map((column) => ({ ...column })) })),
  }
  return llm.ask(
    {
      role: 'judge',
      caseId: testCase.id,
      sample: 0,
      messages: renderMessages(definition, variables),
      answer: answerTool(definition),
      read: createAnswerReader(definition, voteSchema),
      signal,
    },
    model,
  )
}
