import { callsIn, unreadableNames } from '../../../sql-text/calls.js'
import { blank, statements } from '../../../sql-text/scan.js'
import type { Syntax } from '../../../sql-text/syntax.js'

/** Built-in functions that do more than to read, though a transaction that only reads lets a user call them. */
const refused: ReadonlyMap<string, string> = new Map([
  ...['get_lock', 'release_lock', 'release_all_locks'].map((name) => [name, 'holds locks'] as const),
  ...['load_file', 'sys_exec', 'sys_eval'].map((name) => [name, 'reaches files and programs'] as const),
  ...['setval', 'nextval', 'lastval'].map((name) => [name, 'is of sequences, which it changes'] as const),
  ...['master_pos_wait', 'source_pos_wait', 'master_gtid_wait', 'wait_for_executed_gtid_set'].map(
    (name) => [name, 'waits for other servers'] as const,
  ),
  ...['spider_direct_sql', 'spider_bg_direct_sql', 'spider_copy_tables'].map(
    (name) => [name, 'runs the SQL of a text on other servers'] as const,
  ),
])

/** Writes files or variables, locks rows, or advances a sequence. `INTO` is a reserved word that no query needs. */
const writes =
  /\b(?:into(?:\s+(?:outfile|dumpfile))?|for\s+update|for\s+share|lock\s+in\s+share|(?:next|previous)\s+value\s+for)\b/i

/** Returns why a statement is not run, judged by its text, or undefined. The server's rights and its transaction are the boundary. */
export function refusalByText(sql: string, syntax: Syntax): string | undefined {
  if (statements(sql, syntax) > 1) return 'only a single SELECT statement is allowed'
  const found = writes.exec(blank(sql, syntax, ['comment', 'text', 'name']))?.[0]
  if (found !== undefined)
    return `${found.toLowerCase().replaceAll(/\s+/g, ' ')} does more than to read the data`
  for (const { name } of callsIn(sql, syntax)) {
    const what = refused.get(name)
    if (what !== undefined) return `${name} does more than to read the data: it ${what}`
  }
  return unreadableNames(sql, syntax)
}
