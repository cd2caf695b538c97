/**
 * Whether two SQL texts differ at most in white space outside quotes, comments, trailing semicolons and the
 * letter case of unquoted words. Safe in every dialect: where dialects disagree about what a piece of text is,
 * the answer is false. Linear, and needs no parser, so that none is loaded when the texts agree.
 */
export function isSameSqlText(a: string, b: string): boolean {
  if (a === b) return true
  if (!comment.test(a) && !comment.test(b) && withoutWhitespace(a) !== withoutWhitespace(b)) return false
  const left = skeleton(a)
  return left !== undefined && left === skeleton(b)
}

const comment = /--|\/\*/u

/** A text that equal queries without comments share, computed in a fraction of the time of `skeleton`. */
function withoutWhitespace(sql: string): string {
  return sql.replace(/[\s;]+/gu, '').toLowerCase()
}

/** Backslash escapes, `#` and `//` comments, dollar and triple quotes mean different things by dialect. */
const dialectDependentSyntax = /[\\#$]|\/\/|'''|"""|--[^\s]|--[^\n]*\r(?!\n)|\/\*[!+]/u

/** Space and comments, numbers, words, quoted pieces, runs of operators, single marks. */
const piece =
  /(?<gap>(?:\s|--[^\n]*|\/\*[\s\S]*?\*\/)+)|(?<word>[\p{L}\p{N}_@]+)|(?<quoted>'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\])|(?<operator>[<>=!|&:+*/%^~?.-]+|[\s\S])/gu

/** The text with every gap as one space where it separates, and ASCII words in lower case. */
function skeleton(sql: string): string | undefined {
  if (dialectDependentSyntax.test(sql)) return undefined
  const pieces: string[] = []
  let gap = false
  for (const { groups } of sql.matchAll(piece)) {
    if (groups?.['gap'] !== undefined) {
      if (groups['gap'].lastIndexOf('/*') > groups['gap'].indexOf('/*')) return undefined
      gap = true
      continue
    }
    const { word, quoted, operator } = groups ?? {}
    if (operator !== undefined && /['"`[\]]|\/\*|--/u.test(operator)) return undefined
    if (quoted?.startsWith('[') && /['"`]/u.test(quoted)) return undefined
    pieces.push(
      gap ? ' ' : '',
      word?.replace(/[A-Z]+/gu, (letters) => letters.toLowerCase()) ?? quoted ?? operator ?? '',
    )
    gap = false
  }
  return joinPieces(pieces)
}

const mark = /^[(),;]$/u

/** Joins (gap, piece) pairs; a gap beside a bracket, comma or semicolon never matters, nor do semicolons at the end. */
function joinPieces(pieces: readonly string[]): string {
  let end = pieces.length
  while (end >= 2 && pieces[end - 1] === ';') end -= 2
  const parts: string[] = []
  for (let at = 0; at < end; at += 2) {
    const text = pieces[at + 1] ?? ''
    const before = pieces[at - 1] ?? '('
    if (pieces[at] === ' ' && !mark.test(text) && !mark.test(before)) parts.push(' ')
    else if (/^['"`[]/u.test(text) || /['"`\]]$/u.test(before)) parts.push('\u0001')
    parts.push(text)
  }
  return parts.join('')
}
