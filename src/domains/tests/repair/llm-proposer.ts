import { z } from 'zod'
import type { Llm, RoleModel } from '../../../llm/llm-interface.js'
import { type AskCost, reserveAsks } from '../../../llm/reserve-agent-calls.js'
import { caseOf } from '../../../repair/model/diagnosis.js'
import type { ModelProposal, ModelProposer, ModelRequest } from '../../../repair/model/model-proposer.js'
import { readText } from '../../../snapshot/snapshot.js'
import { loadDefinition } from '../../../subagent/definition.js'
import { answerTool, createAnswerReader, renderMessages } from '../../../subagent/prompt.js'
import type { RoleExample } from '../../../subagent/role-check.js'
import { readToolScript } from '../../../subagent/script/script-format.js'
import type { TestsTypes } from '../tests-domain-types.js'

export interface ToolProposerOptions extends AskCost {
  readonly llm: Llm
  readonly model: RoleModel
  readonly agentsFolder: string
  /** File of the agent's definition, relative to the agents folder. */
  readonly definition: string
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string
  readonly signal: AbortSignal
}

const answer = z.looseObject({ reasoning: z.string().default(''), script: z.string() })

/** What the definition of a model that repairs tools is given, and what it must allow as an answer. */
export const toolRepairerExample = {
  variables: {
    path: 'agents/test/tools/run_tests.pym',
    script: '{"passed": 1}',
    findings: ['run_tests said passed: 2, the host saw 1'],
    protect: ['tool run_tests: all pass'],
    earlier: [{ diff: '-x\n+y', outcome: '1 of 1 target cases still fail' }],
  },
  needed: ['script', 'findings'],
  answers: [[{ reasoning: 'a test that fails was counted', script: '{"passed": 0}' }]],
} as const satisfies RoleExample

/** Creates a model that proposes another text of a tool script. Its output is data: it passes the guards of every plan. */
export function createToolProposer(options: ToolProposerOptions): ModelProposer<TestsTypes> {
  return {
    propose: (request) => propose(request, options),
    reserve: (asks) => reserveAsks(asks, options),
  }
}

async function propose(
  { diagnoses, snapshot, protect, earlier }: ModelRequest<TestsTypes>,
  { llm, model, agentsFolder, definition: file, redact, signal }: ToolProposerOptions,
): Promise<ModelProposal<TestsTypes>> {
  const [first] = diagnoses
  const path = first?.cluster
  const script = path === undefined ? undefined : readText(snapshot, path)
  if (first === undefined || path === undefined || script === undefined)
    return { kind: 'none', reason: 'no script is at fault' }
  const { definition } = loadDefinition(snapshot, agentsFolder, file)
  const variables: Readonly<Record<keyof typeof toolRepairerExample.variables, unknown>> = {
    path,
    script,
    findings: diagnoses.map(({ cause }) => cause),
    protect,
    earlier,
  }
  const said = await llm.ask(
    {
      role: 'repairer',
      caseId: caseOf<TestsTypes>(first).id,
      sample: 0,
      messages: renderMessages(definition, variables),
      answer: answerTool(definition),
      read: createAnswerReader(definition, answer),
      signal,
    },
    model,
  )
  if (said.kind !== 'answer') return { kind: 'none', reason: said.message }
  const { reasoning, script: proposed } = said.value
  const why = redact(reasoning.replaceAll(/\s+/g, ' ').trim())
  if (proposed.trim() === script.trim())
    return { kind: 'none', reason: `the model proposes no edit${why === '' ? '' : `: ${why}`}` }
  const now = proposed.endsWith('\n') ? proposed : `${proposed}\n`
  const [problem] = (await readToolScript(now)).problems.filter(({ severity }) => severity === 'error')
  if (problem !== undefined)
    return { kind: 'none', reason: `plan of the model rejected: line ${problem.line}: ${problem.message}` }
  return {
    kind: 'plan',
    plan: {
      label: 'tool_fault',
      subject: first.subject,
      title: `${first.subject}: ${why.slice(0, 80)}`,
      reasoning: why,
      edits: [{ kind: 'edit_tool', path, search: script, replace: now }],
      cases: diagnoses.map(caseOf<TestsTypes>),
      goldExposed: false,
      size: Math.abs(now.length - script.length) + 1,
      signature: now,
    },
  }
}
