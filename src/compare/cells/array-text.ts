import { quoteText } from '../../engine/query/quote-names.js'

/** Elements that are numbers, by the name of the array's type. */
const numbers = /^(?:smallint|integer|bigint|real|double precision|numeric|oid)\b/u
const item = /\s*(?:"((?:[^"\\]|\\.)*)"|([^{},"\s](?:[^{},"]*[^{},"\s])?))\s*/uy

/**
 * Returns an array of PostgreSQL as a list of numbers, or of texts, so that `{1}` of integers is not `{1}` of texts and is `{1.0}` of
 * numerics; undefined if it is written in another way, as one whose bounds do not begin at 1.
 */
export function arrayText(text: string, type: string): string | undefined {
  if (!type.endsWith('[]') || !text.startsWith('{')) return undefined
  let at = 0
  const list = (): string | undefined => {
    if (text[at] !== '{') return undefined
    at++
    const items: string[] = []
    while (text[at] !== '}') {
      const written = text[at] === '{' ? list() : element()
      if (written === undefined) return undefined
      items.push(written)
      if (text[at] === ',') at++
      else if (text[at] !== '}') return undefined
    }
    at++
    return `[${items.join(', ')}]`
  }
  const element = (): string | undefined => {
    item.lastIndex = at
    const [whole, quoted, plain = ''] = item.exec(text) ?? []
    if (whole === undefined) return undefined
    at += whole.length
    if (quoted !== undefined) return quoteText(quoted.replaceAll(/\\(.)/gsu, '$1'))
    if (plain === 'NULL') return 'NULL'
    return numbers.test(type) ? plain : quoteText(plain)
  }
  const written = list()
  return at === text.length ? written : undefined
}
