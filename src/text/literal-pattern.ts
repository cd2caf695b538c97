/** A pattern that matches the text itself, whatever its characters mean in regular expressions. */
export function literalPattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
