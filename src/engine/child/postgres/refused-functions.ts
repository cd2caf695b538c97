import { callsIn, namesIn, unreadableNames } from '../../../sql-text/calls.js'
import { escapedText } from './quote-text.js'

/** Run a query that their texts put together, though they are declared to change nothing (extensions tablefunc and xml2). */
const runFragments = new Set(['connectby', 'xpath_table'])
/** Run each of their texts as a query (extension tablefunc). */
const runTexts = /^crosstab\w*$/

/** Volatile functions that change nothing that anybody else sees, and why. */
const harmlessFunctions: Readonly<Record<string, readonly string[]>> = {
  'make up a value': [
    'random',
    'random_normal',
    'array_sample',
    'array_shuffle',
    'gen_random_bytes',
    'gen_random_uuid',
    'uuid_generate_v1',
    'uuid_generate_v1mc',
    'uuid_generate_v4',
    'uuidv4',
    'uuidv7',
  ],
  'read the clock': ['clock_timestamp', 'timeofday'],
  'wait, until the deadline at most': ['pg_sleep', 'pg_sleep_for', 'pg_sleep_until'],
  'read a size': [
    'pg_database_size',
    'pg_indexes_size',
    'pg_relation_size',
    'pg_table_size',
    'pg_tablespace_size',
    'pg_total_relation_size',
  ],
  'read the state of the server': [
    'current_query',
    'pg_is_in_recovery',
    'pg_partition_ancestors',
    'pg_partition_tree',
  ],
}

/** Returns why a statement is not run, judged by its text, or undefined; what its functions are, only the server knows. */
export function refusalByFunction(sql: string): string | undefined {
  for (const { name, texts } of callsIn(sql, 'postgres')) {
    if (runFragments.has(name)) return `${name} runs the SQL of a text`
    if (!runTexts.test(name)) continue
    if (texts === undefined) return `${name}() of something other than texts cannot be judged`
    const inner = texts.map(refusalByFunction).find((reason) => reason !== undefined)
    if (inner !== undefined) return inner
  }
  return unreadableNames(sql, 'postgres')
}

/**
 * Returns an expression that lists the volatile functions that a statement calls, as `schema.name` with commas between them;
 * NULL if there are none. A function that has a row for its argument may be called like a column (`t.f`). Functions with
 * arguments of type `internal` (2281) cannot be called by SQL: their names are keywords (`TABLESAMPLE SYSTEM (1)`).
 *
 * @param allowed names, with or without a schema, that are not listed
 */
export function volatileFunctionsQuery(sql: string, allowed: readonly string[]): string {
  const calls = callsOf(sql).map(
    ({ name, schema }) =>
      `(${escapedText(name)}, ${schema === undefined ? 'NULL' : escapedText(schema)}, false)`,
  )
  const columns = namesIn(sql, 'postgres', 'dot').map((name) => `(${escapedText(name)}, NULL, true)`)
  const called = [...new Set([...calls, ...columns])]
  if (called.length === 0) return 'NULL'
  const names = [...Object.values(harmlessFunctions).flat(), ...allowed].map(escapedText).join(', ')
  return `(SELECT string_agg(DISTINCT n.nspname || '.' || p.proname, ', ') FROM pg_catalog.pg_proc p
    JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
    JOIN (VALUES ${called.join(', ')}) AS called(name, schema, is_column) ON p.proname = called.name::name
    WHERE p.provolatile = 'v' AND NOT 2281 = ANY (p.proargtypes::oid[])
      AND (called.schema = n.nspname OR called.schema IS NULL AND n.nspname = ANY (current_schemas(true)))
      AND (NOT called.is_column OR p.pronargs - p.pronargdefaults <= 1 AND EXISTS (SELECT FROM pg_catalog.pg_type t
        WHERE t.oid = p.proargtypes[0] AND (t.typtype = 'c' OR t.typname IN ('record', 'any', 'anyelement', 'anycompatible'))))
      AND p.proname NOT IN (${names}) AND n.nspname || '.' || p.proname NOT IN (${names}))`
}

/** Returns the calls of a statement, and those of the texts that it runs. */
function callsOf(sql: string): { readonly name: string; readonly schema: string | undefined }[] {
  return callsIn(sql, 'postgres').flatMap(({ name, qualifiers, texts = [] }) => [
    { name, schema: qualifiers.at(-1) },
    ...(runTexts.test(name) ? texts.flatMap(callsOf) : []),
  ])
}
