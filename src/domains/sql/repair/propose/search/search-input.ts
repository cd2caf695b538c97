import type { SqlToken } from '../../../../../sql/index.js'
import type { Example, SnippetProposalInput } from '../rules/snippet-proposals.js'

/** Runs a candidate for a case. */
export interface Trial {
  /** Reports whether the query gives the expected rows on the data. */
  readonly givesRows: (caseId: string, sql: string) => Promise<boolean>
  /** Reports whether the query is as good as the expected one: by structure, or by rows on the data and on copies. */
  readonly passes: (caseId: string, sql: string) => Promise<boolean>
}

export interface EditSearchInput extends SnippetProposalInput {
  /** Cases that pass today and read the same entry: they have to pass still. */
  readonly passing: readonly Example[]
  readonly trial: Trial
  readonly signal: AbortSignal
  /** The most queries that may be run. */
  readonly maxQueries: number
}

/** Returns the tokens of a query or snippet; undefined where it cannot be read. */
export function tokensOf(
  { parser, dialect }: SnippetProposalInput,
  sql: string,
): readonly SqlToken[] | undefined {
  const outcome = parser.tokenize(sql, dialect)
  return outcome.kind === 'tokens' ? outcome.tokens : undefined
}
