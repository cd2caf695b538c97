import type { KnowledgeAdapter } from '../../../../../kb/adapter.js'
import { defaultFormat } from '../../../../../kb/formats.js'
import type { AnswerReading } from '../../../../../llm/llm.js'
import type { SubagentDefinition } from '../../../../../subagent/definition.js'
import { createAnswerReader } from '../../../../../subagent/prompt.js'
import { type Proposal, proposalSchemaOf } from './proposal-schema.js'

/** Reads a proposal as its definition promises it, or with its remarks by the names that models give them unasked. */
export function createProposalReader(
  definition: SubagentDefinition,
  format: KnowledgeAdapter = defaultFormat,
): (json: Readonly<Record<string, unknown>>) => AnswerReading<Proposal> {
  const read = createAnswerReader(definition, proposalSchemaOf(format))
  return (json) => {
    const reading = read(json)
    if (reading.kind === 'read') return reading
    const other = read(withRemarks(json))
    return other.kind === 'read' ? other : reading
  }
}

/**
 * Where nothing holds a model to the schema, it says `analysis` for diagnosis and reasoning, and gives no reason for
 * editing nothing. Both are told to people alone: that is worth no second question. Edits stay as they are.
 */
function withRemarks(json: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { analysis, ...others } = json
  if (analysis !== undefined && typeof analysis !== 'string') return json
  const { edits } = others
  const isEmpty = Array.isArray(edits) && edits.length === 0
  const remark = analysis ?? (isEmpty ? '' : undefined)
  return remark === undefined ? json : { diagnosis: remark, reasoning: remark, ...others }
}
