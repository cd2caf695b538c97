/**
 * Splits a command at white space; quotes keep words together and a backslash keeps the next character, as in
 * a POSIX shell, but nothing is expanded. Undefined for an unclosed quote or an empty command.
 */
export function splitCommand(text: string): string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '\\' && quote !== "'" && at + 1 < text.length) word = (word ?? '') + text.charAt(++at)
    else if (quote !== undefined) {
      if (char === quote) quote = undefined
      else word = (word ?? '') + char
    } else if (char === '"' || char === "'") {
      quote = char
      word ??= ''
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + char
  }
  if (word !== undefined) words.push(word)
  return quote !== undefined || words.length === 0 ? undefined : words
}
