/** Words before a colon that say that a question follows. */
const label = /^(?:q|question|query|ask|user|prompt|example|frage)\s*\d*$/i

/**
 * Returns the question that a heading, a paragraph or a comment asks: what ends with a question mark, or follows a label. Other
 * words name what is below them.
 */
export function questionIn(text: string): string | undefined {
  const plain = text
    .replace(/^\s*(?:[-*+]|\d+[.)])\s+/, '')
    .replaceAll(/[*_`]{1,3}/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const labelled = /^([^:?]{1,40}?)\s*:\s*(.+)$/.exec(plain)
  if (labelled !== null && label.test(labelled[1] ?? '')) return unquoted(labelled[2] ?? '')
  const asked = /([^.!?:"“”]*[^\s.!?:"“”][^.!?:]*\?)["”']?\s*:?$/.exec(plain)?.[1]
  return asked === undefined ? undefined : unquoted(asked)
}

function unquoted(text: string): string {
  return text
    .trim()
    .replace(/^["'“]+|["'”]+$/g, '')
    .trim()
}
