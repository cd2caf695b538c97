/** Quotes a name for both embedded engines. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** Returns a name as a query would write it: quoted if it is not a plain word. */
export function quoteIfNeeded(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoteName(name)
}

/** Quotes a string for both embedded engines. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
