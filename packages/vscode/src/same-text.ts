/** Returns a text without its byte order mark, which the editor keeps beside the text and not in it. */
export function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, '')
}

/** Reports whether two texts differ by no more than what the editor does to a file when it opens it: its mark and its line endings. */
export function isSameText(a: string, b: string): boolean {
  const plain = (text: string): string => withoutMark(text).replace(/\r\n?/g, '\n')
  return plain(a) === plain(b)
}
