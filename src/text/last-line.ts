/** Returns the last line with text, in which programs say why they failed; empty where there is none. */
export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? ''
}
