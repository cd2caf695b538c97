/** A region of SQL in which a placeholder would not be a literal. */
export interface QuotedRegion {
  readonly kind: 'string literal' | 'quoted name' | 'comment'
  readonly start: number
  readonly end: number
}

const opening = /'|"|`|--|\/\*|\$(?:[A-Za-z_]\w*)?\$/g
const brackets: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/**
 * Returns strings, quoted names and comments of an SQL text, in order. An unterminated one ends with the
 * text. A doubled quote ends one region and begins the next, with nothing between them.
 */
export function quotedRegions(sql: string): QuotedRegion[] {
  const regions: QuotedRegion[] = []
  opening.lastIndex = 0
  for (let match = opening.exec(sql); match !== null; match = opening.exec(sql)) {
    const mark = match[0]
    const { kind, closing } = closingOf(mark)
    const found = sql.indexOf(closing, match.index + mark.length)
    const end = found < 0 ? sql.length : found + closing.length
    regions.push({ kind, start: match.index, end })
    opening.lastIndex = end
  }
  return regions
}

/** Returns why a text cannot be used as one expression in a snippet; undefined if it can. */
export function expressionProblem(sql: string): string | undefined {
  const regions = quotedRegions(sql)
  if (regions.some(({ kind }) => kind === 'comment')) return 'holds a comment'
  if (regions.some(({ start, end }) => !isClosed(sql.slice(start, end)))) return 'has an unbalanced quote'
  const bare = regions.reduceRight(
    (text, { start, end }) => `${text.slice(0, start)}x${text.slice(end)}`,
    sql,
  )
  if (bare.trim() === '') return 'is empty'
  if (bare.includes(';')) return 'holds a semicolon'
  if (bare.includes('{{')) return 'holds a placeholder'
  const open: string[] = []
  for (const character of bare) {
    if ('([{'.includes(character)) open.push(character)
    else if (character in brackets && open.pop() !== brackets[character]) return 'has an unbalanced bracket'
  }
  return open.length > 0 ? 'has an unbalanced bracket' : undefined
}

function closingOf(mark: string): { readonly kind: QuotedRegion['kind']; readonly closing: string } {
  if (mark === '--') return { kind: 'comment', closing: '\n' }
  if (mark === '/*') return { kind: 'comment', closing: '*/' }
  return { kind: mark === '"' || mark === '`' ? 'quoted name' : 'string literal', closing: mark }
}

function isClosed(region: string): boolean {
  const mark = /^\$\w*\$/.exec(region)?.[0] ?? region.charAt(0)
  return region.length >= 2 * mark.length && region.endsWith(mark)
}
