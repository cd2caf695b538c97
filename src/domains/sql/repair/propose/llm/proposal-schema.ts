import { z } from 'zod'
import type { KnowledgeAdapter, ProposedEdit } from '../../../../../kb/adapter.js'
import { defaultFormat } from '../../../../../kb/formats.js'

/** What a model answers that repairs: edits in the operations of the knowledge's format, and why. */
export interface Proposal {
  readonly diagnosis: string
  readonly reasoning: string
  readonly edits: readonly ProposedEdit[]
}

export function proposalSchemaOf({ modelEdits }: KnowledgeAdapter): z.ZodType<Proposal> {
  return z.object({ diagnosis: z.string(), reasoning: z.string(), edits: modelEdits.schema })
}

/** For knowledge that names no format. */
export const proposalSchema = proposalSchemaOf(defaultFormat)
