import type { Edit, YamlEdit, YamlValue } from '../../../../edit/edit.js'

/** Words that a plan's YAML edits add, with the metric they belong to. */
export function addedWords(edits: readonly Edit[]): { entry: string; word: string }[] {
  return edits.flatMap((edit) => {
    if (edit.kind !== 'edit_metric' || edit.action === 'remove' || isNotAlias(edit)) return []
    const before = new Set(wordsOf(edit.expected))
    const words = wordsOf(edit.value).filter((word) => !before.has(word))
    return words.map((word) => ({ entry: edit.entry, word }))
  })
}

/** A default and another key are codes, a choice's expression SQL, a title prose, a snippet the name of a file. */
function isNotAlias({ action, at }: YamlEdit): boolean {
  if (action === 'rename') return true
  return at.at(-1) === 'default' || at.at(-1) === 'sql' || at[0] === 'snippet' || isTitle(at)
}

export function isTitle(at: YamlEdit['at']): boolean {
  return at.length === 1 && at[0] === 'title'
}

/** Lists of words, also those of a map; its keys are codes and the expressions of choices SQL: no words. */
function wordsOf(value: YamlValue | undefined): string[] {
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
