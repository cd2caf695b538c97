/** Words as they are compared: case and spacing tell nothing apart. */
export function foldWords(words: string): string {
  return words.trim().toLowerCase().replaceAll(/\s+/g, ' ')
}
