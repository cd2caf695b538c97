import { createHash } from 'node:crypto'

/** Identifies what a case asks and expects: layout does not count. */
export function caseHash(question: string, expected: string): string {
  const text = [question, expected].map((part) => part.trim().replaceAll(/\s+/gu, ' ')).join('\0')
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
