/**
 * Returns what is written for a text with only the changed part of it replaced, so that folds, quotes and indentation around it
 * stay; undefined where it is not clear which part of the source is which part of the text.
 *
 * @param source the text as it is written, with quotes, escapes and indentation
 * @param text what it means
 * @param changed what it has to mean
 */
export function spliceText(source: string, text: string, changed: string): string | undefined {
  const places = placesIn(source, text)
  if (places === undefined) return undefined
  let start = 0
  while (start < text.length && start < changed.length && text[start] === changed[start]) start++
  let same = 0
  while (
    same < text.length - start &&
    same < changed.length - start &&
    text[text.length - 1 - same] === changed[changed.length - 1 - same]
  )
    same++
  // A further line is written behind the one before it, which shows how it begins.
  const isLine = changed[start - 1] === '\n' && changed[changed.length - same - 1] === '\n' && start > 0
  if (isLine && start + same === text.length) {
    start--
    same++
  }
  const [from, to] = [places[start], places[text.length - same]]
  if (from === undefined || to === undefined) return undefined
  const line = source.lastIndexOf('\n', from - 1)
  const indent = line < 0 ? undefined : /^[ \t>]*/.exec(source.slice(line + 1))?.[0]
  const written = changed.slice(start, changed.length - same)
  // Only the line that is written in shows how a further one begins.
  if (written.includes('\n') && indent === undefined) return undefined
  const lineEnd = source.includes('\r\n') ? '\r\n' : '\n'
  return source.slice(0, from) + written.replaceAll('\n', `${lineEnd}${indent ?? ''}`) + source.slice(to)
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', '"': '"', '\\': '\\', '/': '/' }

/** Returns where each character of a text, and its end, stands in its source; undefined if they do not agree. */
function placesIn(source: string, text: string): number[] | undefined {
  const places: number[] = []
  let at = 0
  // What opens a quoted text or a block.
  while (at < source.length && source[at] !== text[0]) at++
  for (const [index, character] of [...text].length === text.length ? [...text].entries() : []) {
    const width = widthAt(source, at, character)
    if (width === undefined) return undefined
    places[index] = at
    at += width
  }
  if (places.length !== text.length) return undefined
  places.push(at)
  return places
}

/** Returns how many characters of the source stand for one of the text. */
function widthAt(source: string, at: number, character: string): number | undefined {
  if (character === '\n' || character === ' ') {
    const fold = /^[ \t]*\r?\n[ \t>]*/.exec(source.slice(at, at + 200))?.[0].length
    if (fold !== undefined) return fold
  }
  if (source[at] === '\\' && escapes[source[at + 1] ?? ''] === character) return 2
  if (source[at] !== character) return undefined
  const isDoubled = (character === '"' || character === "'") && source[at + 1] === character
  return isDoubled && source[0] === character ? 2 : 1
}
