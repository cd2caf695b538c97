/** Quotes a text so that it is the same whatever `standard_conforming_strings` is. */
export function escapedText(text: string): string {
  return `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}
