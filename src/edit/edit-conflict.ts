import { AutotestError } from '../errors.js'

/** Returns the error for an edit that does not match the file: it names the file and what was expected. */
export function editConflict(path: string, expected: string, hint?: string): AutotestError {
  return new AutotestError('edit_conflict', `${path}: ${expected}`, {
    hint: hint ?? 'Make the edit again from the file as it is now.',
  })
}

/** Returns a text on one line and short enough for a message. */
export function quoted(text: string): string {
  const line = JSON.stringify(text)
  return line.length > 80 ? `${line.slice(0, 76)}…"` : line
}
