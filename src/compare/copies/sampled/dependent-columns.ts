import type { QueryOutcome } from '../../../engine/contract/engine.js'
import type { Dialect } from '../../../enums/dialect.js'
import type { SqlToken } from '../../../sql/index.js'
import { quoteNameIn } from './quote-in-dialect.js'

/** Columns of one query that are added, at most. */
const mostAdded = 40

/** PostgreSQL and MySQL (ONLY_FULL_GROUP_BY) name the column that is neither grouped nor determined by a key. */
const ungrouped = [
  /column "([^"]+)" must appear in the GROUP BY clause/u,
  /nonaggregated column '([^']+)' which is not functionally dependent/u,
]

/**
 * Runs a query on tables without keys. Where the server had allowed a column because a key of its table is grouped by, the
 * column is added to GROUP BY, which changes no group: the rows honour the key. Only a query with a single GROUP BY is
 * completed so.
 */
export async function runWithDependentColumns(
  sql: string,
  dialect: Dialect,
  tokenize: (sql: string) => readonly SqlToken[],
  run: (sql: string) => Promise<QueryOutcome>,
): Promise<QueryOutcome> {
  let text = sql
  for (let added = 0; ; added++) {
    const outcome = await run(text)
    const column = outcome.kind === 'failed' ? missingColumn(outcome.message) : undefined
    const at = column === undefined || added === mostAdded ? undefined : onlyGroupBy(tokenize(text))
    if (column === undefined || at === undefined) return outcome
    const name = column
      .split('.')
      .slice(-2)
      .map((part) => quoteNameIn(part, dialect))
      .join('.')
    text = `${text.slice(0, at)} ${name},${text.slice(at)}`
  }
}

function missingColumn(message: string): string | undefined {
  for (const pattern of ungrouped) {
    const found = pattern.exec(message)?.[1]
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns where the list of the only GROUP BY begins. */
function onlyGroupBy(tokens: readonly SqlToken[]): number | undefined {
  const ends = tokens.flatMap((token, at) =>
    token.kind === 'word' && token.value === 'BY' && tokens[at - 1]?.value === 'GROUP' ? [token.end] : [],
  )
  return ends.length === 1 ? ends[0] : undefined
}
