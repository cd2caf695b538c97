import { isDeepStrictEqual } from 'node:util'
import type { Edit } from '../../../../../edit/edit-types.js'
import { applyHunks, diffHunks, type Hunk, textEdits } from '../../../../../edit/line-edits.js'
import type { SlotValue } from '../../../../../kb/entry-slots.js'
import type { KnowledgeAdapter } from '../../../../../kb/knowledge-adapter.js'
import { readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import { formatOf, type KnowledgePlace, knowledgeBaseOf } from '../../model/repair-context.js'
import type { PlanPart } from './plan-part.js'
import { splitTextEdit } from './split-text-edit.js'

/**
 * Splits a plan as finely as possible: texts into words and signs, notes into sentences, lists into items. A
 * difference in white space alone is no piece: layout is kept.
 */
export function splitPlan(
  edits: readonly Edit[],
  before: Snapshot,
  after: Snapshot,
  context: KnowledgePlace,
): PlanPart[] {
  const format = formatOf(context)
  const { snippets } = knowledgeBaseOf(after, context)
  const sqlPaths = new Set([...snippets.values()].map(({ path }) => path))
  const texts = new Map(edits.flatMap((edit) => ('search' in edit ? [[edit.path, edit.kind] as const] : [])))
  return [
    ...[...texts].flatMap(([path, kind]) => {
      const [old, now] = [readText(before, path) ?? '', readText(after, path) ?? '']
      return splitTextEdit(old, now, sqlPaths.has(path), (text) =>
        textEdits(path, old, text).map((edit) => ('search' in edit ? { ...edit, kind } : edit)),
      )
    }),
    ...edits.flatMap((edit) =>
      'search' in edit
        ? []
        : (expressionParts(edit, format) ?? [
            listPart(edit, format) ?? itemPart(edit, before, format) ?? wholePart(edit),
          ]),
    ),
  ]
}

/** Splits the expression of a choice, which is SQL like a snippet. */
function expressionParts(edit: Edit, format: KnowledgeAdapter): PlanPart[] | undefined {
  const change = format.slotEditOf(edit)
  if (change?.slot.kind !== 'expression') return undefined
  const { expected, value } = change
  if (typeof expected !== 'string' || typeof value !== 'string') return undefined
  return splitTextEdit(expected, value, true, (text) =>
    text.trim() === expected ? [] : [format.withValue(edit, text.trim())],
  )
}

function wholePart(edit: Edit): PlanPart {
  return { pieces: 1, edits: (kept) => (kept.has(0) ? [edit] : []) }
}

/** Splits a replaced list into added and removed items. */
function listPart(edit: Edit, format: KnowledgeAdapter): PlanPart | undefined {
  const { expected, value } = format.slotEditOf(edit) ?? {}
  if (!Array.isArray(expected) || !Array.isArray(value)) return undefined
  const [before, after] = [expected, value].map((list: readonly SlotValue[]) =>
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
      const left = items.map((item): SlotValue => JSON.parse(item))
      return isDeepStrictEqual(left, expected) ? [] : [format.withValue(edit, left)]
    },
  }
}

/** Splits a replaced word of a list: the new word may be added without removing the old one. */
function itemPart(edit: Edit, before: Snapshot, format: KnowledgeAdapter): PlanPart | undefined {
  const halves = format.splitReplacement(edit, before)
  if (halves === undefined) return undefined
  const edits = [[], [halves.added], [halves.removed], [edit]]
  return {
    pieces: 2,
    edits: (kept) => edits[(kept.has(0) ? 1 : 0) + (kept.has(1) ? 2 : 0)] ?? [],
  }
}

/** Splits a replaced item into a removed and an added one. */
function splitByItem({ from, to, lines }: Hunk): Hunk[] {
  const gone = Array.from({ length: to - from }, (_, at) => ({
    from: from + at,
    to: from + at + 1,
    lines: [],
  }))
  return [...gone, ...lines.map((line) => ({ from: to, to, lines: [line] }))]
}
