import { isDeepStrictEqual } from 'node:util'
import { isCollection, parseDocument } from 'yaml'
import type { Edit, TextEdit, YamlEdit, YamlValue } from '../../../../../edit/edit.js'
import { readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import { applyHunks, diffHunks, type Hunk, textEdits } from '../../model/text-edits.js'
import type { PlanPart } from './plan-part.js'
import { splitTextEdit } from './split-text-edit.js'

/**
 * What a plan consists of, as finely as it can be taken apart: texts by words and signs, notes by sentences, lists by items.
 * White space that differs alone is no piece: layout stays.
 */
export function splitPlan(edits: readonly Edit[], before: Snapshot, after: Snapshot): PlanPart[] {
  const texts = new Map(edits.flatMap((edit) => ('search' in edit ? [[edit.path, edit.kind] as const] : [])))
  return [
    ...[...texts].flatMap(([path, kind]) => {
      const [old, now] = [readText(before, path) ?? '', readText(after, path) ?? '']
      return splitTextEdit(old, now, path.endsWith('.sql'), (text) =>
        textEdits(path, old, text).map((edit) => ('search' in edit ? { ...edit, kind } : edit)),
      )
    }),
    ...edits.flatMap((edit) =>
      'search' in edit
        ? []
        : (expressionParts(edit) ?? [listPart(edit) ?? itemPart(edit, before) ?? wholePart(edit)]),
    ),
  ]
}

/** The expression of a choice is SQL as a snippet is. */
function expressionParts(edit: Exclude<Edit, TextEdit>): PlanPart[] | undefined {
  if (edit.kind !== 'edit_metric' || edit.at.at(-1) !== 'sql') return undefined
  const { expected, value } = edit
  if (typeof expected !== 'string' || typeof value !== 'string') return undefined
  return splitTextEdit(expected, value, true, (text) =>
    text.trim() === expected ? [] : [{ ...edit, value: text.trim() }],
  )
}

function wholePart(edit: Edit): PlanPart {
  return { pieces: 1, edits: (kept) => (kept.has(0) ? [edit] : []) }
}

/** A list that is set anew, by the items that come and go. */
function listPart(edit: Exclude<Edit, TextEdit>): PlanPart | undefined {
  if (edit.kind !== 'edit_metric' || !Array.isArray(edit.expected) || !Array.isArray(edit.value))
    return undefined
  const [before, after] = [edit.expected, edit.value].map((list: readonly YamlValue[]) =>
    list.map((item) => JSON.stringify(item)),
  ) as [string[], string[]]
  const single = diffHunks(before, after).flatMap(splitByItem)
  return {
    pieces: single.length,
    edits(kept) {
      const items = applyHunks(
        before,
        single.filter((_, at) => kept.has(at)),
      )
      const changed: YamlEdit = { ...edit, value: items.map((item): YamlValue => JSON.parse(item)) }
      return isDeepStrictEqual(changed.value, edit.expected) ? [] : [changed]
    },
  }
}

/** A word of a list in place of another one: it may come without that one going. */
function itemPart(edit: Exclude<Edit, TextEdit>, before: Snapshot): PlanPart | undefined {
  if (edit.kind !== 'edit_metric' || edit.action !== 'set' || typeof edit.at.at(-1) !== 'number')
    return undefined
  if (typeof edit.expected !== 'string' || typeof edit.value !== 'string') return undefined
  const at = edit.at.slice(0, -1)
  const list: unknown = parseDocument(readText(before, edit.path) ?? '').getIn(at)
  const words: unknown = isCollection(list) ? list.toJSON() : undefined
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) return undefined
  const added: YamlEdit = { ...edit, at, action: 'append', expected: words }
  const removed: YamlEdit = { ...edit, action: 'remove', value: undefined }
  const edits = [[], [added], [removed], [edit]]
  return {
    pieces: 2,
    edits: (kept) => edits[(kept.has(0) ? 1 : 0) + (kept.has(1) ? 2 : 0)] ?? [],
  }
}

/** An item that takes another's place is one that goes and one that comes. */
function splitByItem({ from, to, lines }: Hunk): Hunk[] {
  const gone = Array.from({ length: to - from }, (_, at) => ({
    from: from + at,
    to: from + at + 1,
    lines: [],
  }))
  return [...gone, ...lines.map((line) => ({ from: to, to, lines: [line] }))]
}
