import { applyEdits } from '../../../../../edit/apply-edits.js'
import type { Edit } from '../../../../../edit/edit-types.js'
import { AutotestError, messageOf } from '../../../../../errors.js'
import type { Llm, LlmAnswer, RoleModel } from '../../../../../llm/llm-interface.js'
import type { ChatMessage } from '../../../../../llm/provider.js'
import { type AskCost, reserveAsks } from '../../../../../llm/reserve-agent-calls.js'
import type {
  ModelProposal,
  ModelProposer,
  ModelRequest,
} from '../../../../../repair/model/model-proposer.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { loadDefinition } from '../../../../../subagent/definition.js'
import { answerTool, renderMessages } from '../../../../../subagent/prompt.js'
import { formatOf, knowledgeBaseOf, type RepairContext } from '../../model/repair-context.js'
import type { RepairPlan, SqlTypes } from '../../model/sql-repair-types.js'
import { deletedEntries, findForbiddenText } from './content-guard.js'
import { promptVariables } from './prompt-variables.js'
import { createProposalReader } from './proposal-reader.js'
import type { Proposal } from './proposal-schema.js'
import { findProseProblem } from './prose-check.js'
import { resolveRedactedPath } from './redacted-paths.js'

export interface LlmProposerOptions extends AskCost {
  readonly llm: Llm
  readonly model: RoleModel
  readonly agentsFolder: string
  /** File of the agent's definition, relative to the agents folder. */
  readonly definition: string
  /** Whether the model sees the expected queries: its repairs are then gold-exposed. */
  readonly showExpected: boolean
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string
  readonly context: RepairContext
  readonly signal: AbortSignal
}

/**
 * Creates a model that proposes edits. Its output is data: it must pass the same guards as every plan, and
 * some more.
 */
export function createLlmProposer(options: LlmProposerOptions): ModelProposer<SqlTypes> {
  return {
    propose: (request) => propose(request, options),
    reserve: (asks) => reserveAsks(asks, options),
  }
}

async function propose(
  request: ModelRequest<SqlTypes>,
  options: LlmProposerOptions,
): Promise<ModelProposal<SqlTypes>> {
  const { context, agentsFolder, showExpected } = options
  const { snapshot, diagnoses } = request
  const kb = knowledgeBaseOf(snapshot, context)
  const { definition } = loadDefinition(snapshot, agentsFolder, options.definition)
  const messages = renderMessages(definition, promptVariables(request, kb, context, showExpected))
  const ask = (turns: readonly ChatMessage[]): Promise<LlmAnswer<Proposal>> =>
    options.llm.ask(
      {
        role: 'repairer',
        caseId: diagnoses[0]?.evaluation.testCase.id ?? '',
        sample: 0,
        messages: turns,
        answer: answerTool(definition),
        read: createProposalReader(definition, formatOf(context)),
        signal: options.signal,
      },
      options.model,
    )
  const first = await ask(messages)
  const problem = first.kind === 'answer' ? applyProblem(first.value, request, options) : undefined
  if (first.kind !== 'answer' || problem === undefined) return toProposalResult(first, request, options)
  // One retry for an edit that does not fit, with the actual text; it is charged like every call.
  const second = await ask([
    ...messages,
    { role: 'assistant', content: first.text },
    {
      role: 'user',
      content: `This edit cannot be applied: ${problem}\nAnswer again with edits that fit the files.`,
    },
  ])
  return toProposalResult(second, request, options)
}

/** Returns why the edits do not apply, with the nearest lines; undefined if they do. */
function applyProblem(
  answer: Proposal,
  request: ModelRequest<SqlTypes>,
  options: LlmProposerOptions,
): string | undefined {
  const edits = resolveEdits(answer, request, options)
  const applied = tryEdits(request.snapshot, edits)
  return applied instanceof AutotestError ? applied.message : undefined
}

function resolveEdits(
  { edits }: Proposal,
  { snapshot }: ModelRequest<SqlTypes>,
  { context, redact }: LlmProposerOptions,
): Edit[] {
  const kb = knowledgeBaseOf(snapshot, context)
  const { modelEdits } = formatOf(context)
  return edits.map((edit) =>
    modelEdits.toEdit({ ...edit, path: resolveRedactedPath(edit.path, snapshot.files.keys(), redact) }, kb),
  )
}

function toProposalResult(
  answer: LlmAnswer<Proposal>,
  request: ModelRequest<SqlTypes>,
  options: LlmProposerOptions,
): ModelProposal<SqlTypes> {
  if (answer.kind !== 'answer') return { kind: 'none', reason: answer.message }
  const { edits: proposed, reasoning, diagnosis } = answer.value
  const why = options.redact(oneLine(reasoning || diagnosis))
  if (proposed.length === 0)
    return { kind: 'none', reason: `the model proposes no edit${why === '' ? '' : `: ${why}`}` }
  const kb = knowledgeBaseOf(request.snapshot, options.context)
  const edits = resolveEdits(answer.value, request, options)
  const refused = (reason: string): ModelProposal<SqlTypes> => ({
    kind: 'none',
    reason: `plan of the model rejected: ${reason}`,
  })
  const problem = findForbiddenText(edits, options.redact)
  if (problem !== undefined) return refused(problem)
  const candidate = tryEdits(request.snapshot, edits)
  if (candidate instanceof AutotestError) return refused(candidate.message)
  const after = knowledgeBaseOf(candidate, options.context)
  const [lost] = deletedEntries(kb, after)
  if (lost !== undefined) return refused(`it would delete ${lost}, or leave it unusable`)
  const said = findProseProblem(
    { kb, snapshot: request.snapshot },
    { kb: after, snapshot: candidate },
    edits,
    request.diagnoses,
  )
  if (said !== undefined) return refused(said)
  return { kind: 'plan', plan: planOf(edits, why, options.redact(oneLine(diagnosis)), request, options) }
}

function planOf(
  edits: readonly Edit[],
  reasoning: string,
  diagnosis: string,
  { diagnoses }: ModelRequest<SqlTypes>,
  { showExpected }: LlmProposerOptions,
): RepairPlan {
  const label = diagnoses[0]?.label ?? 'unknown'
  const subject = diagnoses[0]?.subject ?? 'the knowledge base'
  return {
    label,
    subject,
    title: `${subject.replace(/^metric /, '')}: ${truncate(diagnosis)} (model)`,
    reasoning: `the model says: "${reasoning}"`,
    edits,
    cases: diagnoses.map(({ evaluation }) => evaluation.testCase),
    goldExposed: showExpected,
    size: JSON.stringify(edits).length,
    signature: '',
  }
}

function tryEdits(snapshot: Snapshot, edits: readonly Edit[]): Snapshot | AutotestError {
  try {
    return applyEdits(snapshot, edits)
  } catch (error) {
    if (error instanceof AutotestError) return error
    throw new Error(`edits of a model could not be tried: ${messageOf(error)}`, { cause: error })
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function truncate(text: string): string {
  return text.length > 100 ? `${text.slice(0, 99)}…` : text
}
