import { defaultFormat } from '../../../../../kb/default-format.js'
import type { KnowledgeAdapter } from '../../../../../kb/knowledge-adapter.js'
import type { AnswerReading } from '../../../../../llm/llm-interface.js'
import type { SubagentDefinition } from '../../../../../subagent/definition-types.js'
import { createAnswerReader } from '../../../../../subagent/prompt.js'
import { type Proposal, proposalSchemaOf } from './proposal-schema.js'

/**
 * Creates a reader of proposals, either as the definition requires or with their remarks under other names
 * that models use.
 */
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
 * Adapts remarks: without an enforced schema, models use `analysis` for diagnosis and reasoning, and give no
 * reason for proposing no edit. Both are read by people only, so a second request is not worth it. Edits stay
 * unchanged.
 */
function withRemarks(json: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { analysis, ...others } = json
  if (analysis !== undefined && typeof analysis !== 'string') return json
  const { edits } = others
  const isEmpty = Array.isArray(edits) && edits.length === 0
  const remark = analysis ?? (isEmpty ? '' : undefined)
  return remark === undefined ? json : { diagnosis: remark, reasoning: remark, ...others }
}
