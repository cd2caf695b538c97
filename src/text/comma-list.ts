/**
 * Parses values given one by one, or several in one text with commas between them: `a,b`. Blank ones are left
 * out.
 */
export function parseCommaList(values: readonly string[] | undefined): string[] {
  return (values ?? [])
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '')
}
