import type { Edit } from '../../../../../edit/edit-types.js'
import type { KnowledgeBase } from '../../../../../kb/entry.js'
import type { SlotValue } from '../../../../../kb/entry-slots.js'

/**
 * Escape sequences, NUL and invisible characters, so that a diff shows all that is written: a lone carriage
 * return, separators, direction marks, fillers, and joiners that no letter of a script that uses them
 * precedes.
 */
const controlCharacterPatterns = [
  /[^\P{Cc}\t\n\r]|\r(?!\n)/u,
  /[^\P{Cf}\u200c\u200d]|(?<![^\0-\u02ff])(?:\u200c|\u200d)/u,
  /(?!\ufe0e|\ufe0f)[^\P{Default_Ignorable_Code_Point}\p{Cf}]|(?:\ufe0e|\ufe0f){2}/u,
  /[\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\p{Cs}]/u,
]

/**
 * API keys in the formats of their providers, wherever a model got them from. Names of columns may begin
 * alike: `sk_customer_id`.
 */
const secretPatterns = [
  /\bsk-[A-Za-z0-9][A-Za-z0-9_-]{15,}/,
  /\b[spr]k_(?:live|test)_[A-Za-z0-9]{10,}/,
  /\b(?:gh[oprsu]|hf|npm)_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}/,
  /\b(?:glpat|xox[abeprs])-[A-Za-z0-9-]{10,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}\b/,
  /\bAIza[\w-]{30,}/,
  /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY/,
  /:\/\/[^\s:/@]*:[^\s/@]+@/,
] as const

/** Returns why a model's text must not be written, whatever it does to answers; undefined if it may. */
export function findForbiddenText(
  edits: readonly Edit[],
  redact: (text: string) => string,
): string | undefined {
  for (const edit of edits) {
    for (const text of textsOf(edit)) {
      if (controlCharacterPatterns.some((form) => form.test(text)))
        return `${edit.path}: the text contains control characters`
      if (secretPatterns.some((form) => form.test(text)) || redact(text) !== text)
        return `${edit.path}: the text contains a secret`
    }
  }
  return undefined
}

/** Returns entries that a candidate removes: a deleted entry gives no wrong answer, and no answer at all. */
export function deletedEntries(before: KnowledgeBase, after: KnowledgeBase): string[] {
  const left = new Set(idsOf(after))
  return idsOf(before).filter((id) => !left.has(id))
}

function idsOf(kb: KnowledgeBase): string[] {
  return [...kb.metrics, ...kb.snippets.values(), ...kb.notes].map(({ id }) => id)
}

function textsOf(edit: Edit): string[] {
  if ('text' in edit) return [edit.text]
  return 'search' in edit ? [edit.replace] : stringsIn(edit.value)
}

function stringsIn(value: SlotValue | undefined): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}
