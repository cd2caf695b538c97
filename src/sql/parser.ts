import type { SqlParser } from './parser-interface.js'
import { withMemoryCache } from './parsing/memory-parse-cache.js'
import { parseCacheInUse } from './persistent-parse-cache.js'

export type { SqlParser } from './parser-interface.js'

let loading: Promise<SqlParser> | undefined

/** The parser, one in a process. Its library is loaded by the first text that the cache in use does not know. */
export function loadSqlParser(): Promise<SqlParser> {
  loading ??= import('./parsing/polyglot.js').then((module) => withMemoryCache(module.createPolyglotParser()))
  return loading
}

const anyQuery = `SELECT t.a AS b, sum(c) FROM d.t AS t WHERE a BETWEEN 1 AND 2 AND b <> 'x' AND c IN (1, 'y')
  GROUP BY 1, 2 ORDER BY 2 DESC LIMIT 3`

/**
 * Loads the parser and, where no earlier run kept what it read, has it read a query: its functions compile at their first
 * call, 0.05 s for a first query. For when this thread would only wait.
 */
export async function warmSqlParser(): Promise<void> {
  const parser = await loadSqlParser()
  if (parseCacheInUse()?.isEmpty ?? true) parser.parse(anyQuery, 'ansi')
}
