import { z } from 'zod'
import { defaultFormat } from '../../../../../kb/default-format.js'
import type { KnowledgeAdapter, ProposedEdit } from '../../../../../kb/knowledge-adapter.js'

/**
 * The answer of a repairing model: edits in the operations of the knowledge base's format, and their reasons.
 */
export interface Proposal {
  readonly diagnosis: string
  readonly reasoning: string
  readonly edits: readonly ProposedEdit[]
}

export function proposalSchemaOf({ modelEdits }: KnowledgeAdapter): z.ZodType<Proposal> {
  return z.object({ diagnosis: z.string(), reasoning: z.string(), edits: modelEdits.schema })
}

/** Schema for a knowledge base that specifies no format. */
export const proposalSchema = proposalSchemaOf(defaultFormat)
