import type { Edit } from '../../../../edit/edit.js'
import type { SlotEdit, SlotValue } from '../../../../kb/slots.js'
import { type RepairContext, slotEditsIn } from './knowledge.js'

export interface AddedWord {
  /** Id of the metric that it belongs to. */
  readonly entry: string
  readonly word: string
}

/** Words that the edits of a plan add to metrics. */
export function addedWords(edits: readonly Edit[], context: Pick<RepairContext, 'format'> = {}): AddedWord[] {
  return wordsAddedBy(slotEditsIn(edits, context))
}

/** Words that changes of slots add. */
export function wordsAddedBy(edits: readonly SlotEdit[]): AddedWord[] {
  return edits.flatMap((edit) => {
    if (edit.action === 'remove' || !holdsWords(edit)) return []
    const before = new Set(wordsOf(edit.expected))
    const words = wordsOf(edit.value).filter((word) => !before.has(word))
    return words.map((word) => ({ entry: edit.entry, word }))
  })
}

/** Slots that hold no words: defaults are codes, expressions and queries SQL, a title prose, a query's name is its own. */
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

/** Lists of words, also those of a map; its keys are codes and the expressions of choices SQL: no words. */
function wordsOf(value: SlotValue | undefined): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => (key === 'sql' ? [] : wordsOf(inner)))
}

/** Whether two names are the same in whatever letter case, with underscores or spaces between their words. */
export function isSamePhrase(left: string, right: string): boolean {
  return normalizePhrase(left) === normalizePhrase(right)
}

function normalizePhrase(text: string): string {
  return text
    .trim()
    .replaceAll(/[\s_]+/g, ' ')
    .toLowerCase()
}
