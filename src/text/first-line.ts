/** Returns the first line with text; empty where there is none. */
export function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.trim() ?? ''
}
