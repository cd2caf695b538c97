import { callsIn, namesIn, unreadableNames } from '../../../sql-text/calls.js'

/**
 * Functions that show secrets, settings and paths of the machine instead of data. No secret can be set in an instance that
 * only reads; what lists them is refused all the same, since no answer needs it.
 */
const refused = new Set([
  'duckdb_secrets',
  'which_secret',
  'duckdb_settings',
  'duckdb_databases',
  'pragma_database_list',
  'duckdb_temporary_files',
  'duckdb_extensions',
])

/** Run a text as SQL, or a tree of one, which cannot be read here. */
const runText = new Set(['query', 'json_execute_serialized_sql', 'from_substrait', 'from_substrait_json'])

/**
 * Returns why a statement is not run because of a function that it calls, or undefined. The text that `query('…')` runs is
 * judged like a statement; one that is put together cannot be.
 */
export function refusalByFunction(sql: string): string | undefined {
  const name = namesIn(sql, 'duckdb').find((each) => refused.has(each))
  if (name !== undefined) return `${name} shows the machine's settings or secrets, not data`
  for (const call of callsIn(sql, 'duckdb').filter((each) => runText.has(each.name))) {
    if (call.texts === undefined) return `${call.name}() of something other than one text cannot be judged`
    const inner = call.texts.map(refusalByFunction).find((reason) => reason !== undefined)
    if (inner !== undefined) return inner
  }
  return unreadableNames(sql, 'duckdb')
}
