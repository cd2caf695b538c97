/** Returns the words and numbers of a text, and its signs one by one, without white space. */
export function wordsAndSigns(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []
}
