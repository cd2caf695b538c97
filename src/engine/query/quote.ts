/** A name as both embedded engines quote it. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A name as a query would write it: quoted where it is not a plain word. */
export function quoteIfNeeded(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : quoteName(name)
}

/** A text as both embedded engines quote it. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
