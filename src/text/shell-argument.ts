/** Quotes a word of a command for a POSIX shell. */
export function quoteShellArgument(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
