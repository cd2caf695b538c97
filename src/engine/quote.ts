/** A name as both embedded engines quote it. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

/** A text as both embedded engines quote it. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
