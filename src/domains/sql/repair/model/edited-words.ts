import type { Edit } from '../../../../edit/edit-types.js'
import type { SlotEdit, SlotValue } from '../../../../kb/entry-slots.js'
import { type RepairContext, slotEditsIn } from './repair-context.js'

export interface AddedWord {
  /** Id of the metric that it belongs to. */
  readonly entry: string
  readonly word: string
}

/** Returns the words that the edits of a plan add to metrics. */
export function addedWords(edits: readonly Edit[], context: Pick<RepairContext, 'format'> = {}): AddedWord[] {
  return wordsAddedBy(slotEditsIn(edits, context))
}

/** Returns the words that slot edits add. */
export function wordsAddedBy(edits: readonly SlotEdit[]): AddedWord[] {
  return edits.flatMap((edit) => {
    if (edit.action === 'remove' || !holdsWords(edit)) return []
    const before = new Set(wordsOf(edit.expected))
    const words = wordsOf(edit.value).filter((word) => !before.has(word))
    return words.map((word) => ({ entry: edit.entry, word }))
  })
}

/**
 * Slots that contain no words: defaults are codes, expressions and queries are SQL, a title is prose, and a
 * query's name is an identifier.
 */
const withoutWords: ReadonlySet<string> = new Set([
  'default',
  'expression',
  'query',
  'prose',
  'query_name',
  'title',
])

function holdsWords({ action, slot }: SlotEdit): boolean {
  return action !== 'rename' && !withoutWords.has(slot.kind)
}

/**
 * Returns the words in lists, also in those of a map; keys of a map are codes and the expressions of choices
 * are SQL, so neither counts.
 */
function wordsOf(value: SlotValue | undefined): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => (key === 'sql' ? [] : wordsOf(inner)))
}

/** Reports whether two names are equal except for letter case and underscores in place of spaces. */
export function isSamePhrase(left: string, right: string): boolean {
  return normalizePhrase(left) === normalizePhrase(right)
}

function normalizePhrase(text: string): string {
  return text
    .trim()
    .replaceAll(/[\s_]+/g, ' ')
    .toLowerCase()
}
