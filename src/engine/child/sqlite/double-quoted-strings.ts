import { scan } from '../../../sql-text/scan.js'

const unresolved = /^no such column: "(.*)" - should this be a string literal in single-quotes\?$/s

/**
 * Standard builds of SQLite treat a double-quoted name that resolves to no column as a string
 * (sqlite.org/quirks.html#dblquote); better-sqlite3 is built without that. Given the engine's error about
 * such a name, returns the statement with that name as a string, or undefined for another error.
 */
export function rewriteDoubleQuotedName(sql: string, complaint: string): string | undefined {
  const name = unresolved.exec(complaint)?.[1]
  if (name === undefined) return undefined
  const rewritten = scan(sql, 'sqlite').map(({ kind, start, end }) => {
    const token = sql.slice(start, end)
    const qualified = sql[start - 1] === '.' || sql[end] === '.'
    const matches =
      kind === 'name' && token.startsWith('"') && token.slice(1, -1).replaceAll('""', '"') === name
    return matches && !qualified ? `'${name.replaceAll("'", "''")}'` : token
  })
  return rewritten.join('') === sql ? undefined : rewritten.join('')
}
