/**
 * Functions that show secrets, settings and paths of the machine instead of data. No secret can be set in an instance that
 * only reads; what lists them is refused all the same, since no answer needs it.
 */
const refused =
  /\b(duckdb_secrets|which_secret|duckdb_settings|duckdb_databases|pragma_database_list|duckdb_temporary_files|duckdb_extensions)\b/iu

const textsAndComments = /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//gu
const literalQuery = /\bquery"?\s*\(\s*'(?:[^']|'')*'\s*\)/giu

/**
 * Returns why a statement is not run because of a function that it calls, or undefined. Texts and comments do not count,
 * except where `query('…')` may run a text; a text that is put together there cannot be judged.
 */
export function refusalByFunction(sql: string): string | undefined {
  const code = sql.replaceAll(textsAndComments, ' ')
  const runsText = /\bquery"?\s*\(/iu.test(code)
  const name = refused.exec(runsText ? sql : code)?.[1]
  if (name !== undefined) return `${name.toLowerCase()} shows the machine's settings or secrets, not data`
  const isPutTogether = runsText && /\bquery"?\s*\(/iu.test(sql.replaceAll(literalQuery, ' '))
  return isPutTogether ? 'query() of something other than one text cannot be judged' : undefined
}
