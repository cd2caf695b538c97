import { clauseEnd, isWord, type QueryText } from './mutate/query-text.js'

/** A reason in a query's text why it may return another result another time. */
export interface NondeterminismSource {
  readonly kind: 'clock' | 'random' | 'limit'
  /** "reads the clock: current_date" */
  readonly text: string
  readonly advice: string
}

const clockFunctions =
  /^(?:now|today|getdate|sysdate|current_date|current_time|current_timestamp|localtime|localtimestamp|utc_date|utc_timestamp|unix_timestamp|curdate|curtime|clock_timestamp|transaction_timestamp|get_current_timestamp|get_current_time)$/iu
/** Matches clock functions that are written without brackets. */
const bareClocks = /^(?:current_date|current_time|current_timestamp|localtime|localtimestamp|sysdate)$/iu
const randomFunctions =
  /^(?:random|rand|uuid|gen_random_uuid|newid|generate_uuid|randomblob|setseed|uuidv4|uuidv7)$/iu
/** SQLite functions in which the text 'now' means the present time. */
const dateFunctions = /^(?:date|time|datetime|julianday|strftime|unixepoch)$/iu

export function findNondeterminismSources(query: QueryText): NondeterminismSource[] {
  const found: NondeterminismSource[] = []
  for (const [at, term] of query.terms.entries()) {
    if (term.kind !== 'word' || query.terms[at - 1]?.text === '.') continue
    const isCall = query.terms[at + 1]?.text === '('
    const isNamed = isWord(query.terms[at - 1], 'AS')
    if (!isNamed && (bareClocks.test(term.text) || (isCall && clockFunctions.test(term.text))))
      found.push(clockSource(term.text))
    else if (isCall && dateFunctions.test(term.text) && readsNow(query, at))
      found.push(clockSource(`${term.text}('now')`))
    else if (isCall && randomFunctions.test(term.text)) found.push(randomSource(term.text))
    else if (isWord(term, 'TABLESAMPLE') || (isWord(term, 'SAMPLE') && isWord(query.terms[at - 1], 'USING')))
      found.push(randomSource('a sample of rows'))
    else if (isWord(term, 'LIMIT') && !isOrdered(query, at)) found.push(unorderedLimit(query, at))
  }
  return found
}

/** Returns the row count of the outermost query's LIMIT, if it has one as a plain number. */
export function outermostLimit({ terms }: QueryText): number | undefined {
  const at = terms.findLastIndex((term) => isWord(term, 'LIMIT') && term.depth === 0)
  const count = terms[at + 1]
  return at >= 0 && count?.kind === 'number' && /^\d{1,15}$/u.test(count.text)
    ? Number(count.text)
    : undefined
}

function clockSource(name: string): NondeterminismSource {
  return {
    kind: 'clock',
    text: `reads the clock: ${name}`,
    advice: 'Write the date that the question means; `as_of` defines what "last month" is relative to.',
  }
}

function randomSource(name: string): NondeterminismSource {
  return {
    kind: 'random',
    text: `uses random rows or values: ${name}`,
    advice: 'Remove the random function.',
  }
}

function unorderedLimit(query: QueryText, at: number): NondeterminismSource {
  const count = query.terms[at + 1]?.text ?? ''
  return {
    kind: 'limit',
    text: `LIMIT ${count} without ORDER BY: any rows may be returned`,
    advice: 'Order by unique keys.',
  }
}

/** Reports whether the call at `at` has the text 'now' among its arguments. */
function readsNow({ terms }: QueryText, at: number): boolean {
  const depth = terms[at]?.depth ?? 0
  for (let next = at + 2; (terms[next]?.depth ?? depth) > depth; next++) {
    if (terms[next]?.kind === 'string' && terms[next]?.value.toLowerCase() === 'now') return true
  }
  return false
}

/** Reports whether the SELECT that the LIMIT ends has an ORDER BY. */
function isOrdered({ terms }: QueryText, limit: number): boolean {
  const { depth = 0, scope } = terms[limit] ?? {}
  for (let at = limit - 1; at >= 0; at--) {
    const term = terms[at]
    if (term === undefined || term.depth < depth) return false
    if (term.depth !== depth || term.scope !== scope) continue
    if (isWord(term, 'ORDER')) return clauseEnd(terms, at + 2, depth) <= limit
    if (isWord(term, 'SELECT')) return false
  }
  return false
}
