import type { Edit, YamlValue } from '../../../edit/edit.js'
import type { KnowledgeBase } from '../../../kb/entry.js'
import type { Diagnosis } from '../../plan.js'

/** Escape sequences, NUL and other characters that no text file of people holds. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** Keys as providers write them, wherever a model has them from. */
const secret = /\b(?:sk|pk|rk|ghp|gho|github_pat|xox[abprs]|AKIA)[-_]?[A-Za-z0-9][A-Za-z0-9_-]{15,}/

/** Why what a model wants to write may not be written, whatever it does to answers. */
export function textProblem(
  edits: readonly Edit[],
  diagnoses: readonly Diagnosis[],
  redact: (text: string) => string,
): string | undefined {
  for (const edit of edits) {
    for (const text of textsOf(edit)) {
      if (control.test(text)) return `${edit.path}: the text holds control characters`
      if (secret.test(text) || redact(text) !== text) return `${edit.path}: the text holds a secret`
    }
    const prose = edit.kind === 'edit_note' ? edit.replace : ''
    const said = diagnoses
      .flatMap(({ interpretation }) => interpretation.bindings)
      .find(({ span }) => span !== undefined && !edit.path.endsWith('.sql') && holds(prose, span.text))
    if (said !== undefined)
      return `${edit.path}: "${said.span?.text ?? ''}" is the ${said.parameter} of a question: a note is about every question`
  }
  return undefined
}

/** Entries that a candidate no longer has: what is deleted cannot answer wrong, or at all. */
export function lostEntries(before: KnowledgeBase, after: KnowledgeBase): string[] {
  const left = new Set(idsOf(after))
  return idsOf(before).filter((id) => !left.has(id))
}

function idsOf(kb: KnowledgeBase): string[] {
  return [...kb.metrics, ...kb.snippets.values(), ...kb.notes].map(({ id }) => id)
}

function textsOf(edit: Edit): string[] {
  if (edit.kind === 'edit_metric') return stringsIn(edit.value)
  return 'text' in edit ? [edit.text] : [edit.replace]
}

function stringsIn(value: YamlValue | undefined): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** Whole words, in any case. */
function holds(text: string, words: string): boolean {
  const escaped = words.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped}(?![\\p{L}\\p{N}_])`, 'iu').test(text)
}
