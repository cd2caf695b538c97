import { isDeepStrictEqual } from 'node:util'
import { isMap, isSeq, type YAMLMap, type YAMLSeq } from 'yaml'
import { AutotestError } from '../errors.js'
import { detectLineEnding } from '../snapshot/line-endings.js'
import type { PlacedItem, YamlEdit } from './edit-types.js'
import { textEdits } from './line-edits.js'
import { decode, editYaml, parse } from './yaml-edit.js'
import { type FormerLines, withFormerParts } from './yaml-former-text.js'
import { columnOf, commentsAbove, commentsBelow, lineBreakAt, lineStartAt } from './yaml-lines.js'
import { nodeEquals, resolveYamlPath, slotsOf, type YamlSlot } from './yaml-path.js'
import { isBlockCollection, itemEnd, itemStart } from './yaml-splice.js'

/** The list or map that an edit adds something to, in one text of its file. */
interface Collection {
  readonly text: string
  readonly node: YAMLMap | YAMLSeq
  readonly slots: readonly YamlSlot[]
}

/**
 * Returns the edit with its addition at the position, and in the wording, of a former text of the file:
 * applying it is then the reverse of the removal, byte for byte where the file only lost something. Undefined
 * if the former text does not have the addition, or the edit cannot be made that way.
 */
export function restorePlacement(edit: YamlEdit, former: string, bytes: Uint8Array): YamlEdit | undefined {
  try {
    const text = decode(bytes, edit.path).replace(/^\ufeff/u, '')
    const formerText = withLineEndingsOf(text, former.replace(/^\ufeff/u, ''))
    const [then, now] = [formerText, text].map((each) => collectionIn(each, edit))
    const slot = then && addedSlot(edit, then)
    if (then === undefined || slot === undefined) return undefined
    const index = now === undefined ? 0 : indexIn(now, slot, then)
    const placed = { ...edit, placed: { index, comments: 0 } }
    const written = formerWording(placed, text, then, formerLines(then, slot, now))
    if (written !== undefined || now === undefined) return written
    const spliced = { ...edit, placed: placementAsWritten(slot, index, then, now, edit) }
    return [spliced, placed].find((each) => editedText(each, text) !== undefined)
  } catch (error) {
    // A text that is not readable YAML gives no positions.
    if (error instanceof AutotestError) return undefined
    throw error
  }
}

/** Returns the edit in the bytes of the former text, if the file only lost what the edit restores. */
function formerWording(
  edit: YamlEdit & { readonly placed: PlacedItem },
  text: string,
  then: Collection,
  lines: FormerLines,
): YamlEdit | undefined {
  for (const candidate of withFormerParts(text, then.text, lines)) {
    const former = textEdits(edit.path, text, candidate).flatMap((each) =>
      'search' in each ? [{ search: each.search, replace: each.replace }] : [],
    )
    const restored = { ...edit, placed: { ...edit.placed, former } }
    if (editedText(restored, text) === candidate) return restored
  }
  return undefined
}

/** Returns which lines of a former text only the restored item has, and which only others that are absent today. */
function formerLines(then: Collection, slot: YamlSlot, now: Collection | undefined): FormerLines {
  const lineAt = (offset: number): number => then.text.slice(0, offset).split('\n').length - 1
  const [item, others] = [new Set<number>(), new Set<number>()]
  let next = lineAt(then.node.range?.[0] ?? 0)
  for (const each of then.slots) {
    const start = itemStart(each.item)
    const above = commentsAbove(then.text, lineStartAt(then.text, start)).length
    const first = Math.max(next, lineAt(start) - above)
    next = lineAt(Math.max(start, itemEnd(then.text, each) - 1)) + 1
    const isRestored = each.index === slot.index
    if (!isRestored && now?.slots.some((today) => isSame(today, each)) !== false) continue
    for (let line = first; line < next; line++) (isRestored ? item : others).add(line)
  }
  return { item, others }
}

function editedText(edit: YamlEdit, text: string): string | undefined {
  try {
    return new TextDecoder().decode(editYaml(new TextEncoder().encode(text), edit))
  } catch (error) {
    if (error instanceof AutotestError) return undefined
    throw error
  }
}

function collectionIn(text: string, { action, at, path }: YamlEdit): Collection | undefined {
  const { contents } = parse(text, path)
  const to = action === 'append' ? at : at.slice(0, -1)
  const place = to.length === 0 ? undefined : resolveYamlPath(contents, to)
  const node = place?.kind === 'found' ? place.slot.node : place === undefined ? contents : undefined
  const takes = action === 'append' ? isSeq(node) : action === 'set' && isMap(node)
  return takes && (isMap(node) || isSeq(node)) ? { text, node, slots: slotsOf(node) } : undefined
}

function addedSlot({ action, at, value }: YamlEdit, { node, slots }: Collection): YamlSlot | undefined {
  if (action === 'append') return slots.find((slot) => nodeEquals(slot.node, value))
  const place = resolveYamlPath(node, at.slice(-1))
  return place.kind === 'found' ? place.slot : undefined
}

/**
 * Returns the index after the nearest preceding item that still exists, or else before the nearest following
 * one.
 */
function indexIn(now: Collection, slot: YamlSlot, then: Collection): number {
  const at = then.slots.findIndex(({ index }) => index === slot.index)
  const todayOf = (other: YamlSlot): number => now.slots.findIndex((each) => isSame(each, other))
  const ahead = then.slots
    .slice(0, at)
    .map(todayOf)
    .findLast((index) => index >= 0)
  const behind = then.slots
    .slice(at + 1)
    .map(todayOf)
    .find((index) => index >= 0)
  return ahead === undefined ? (behind ?? now.slots.length) : ahead + 1
}

function placementAsWritten(
  slot: YamlSlot,
  index: number,
  then: Collection,
  now: Collection,
  { value }: YamlEdit,
): PlacedItem {
  const isBlock = isBlockCollection(now.node)
  const [first] = now.slots
  const isAlike =
    isBlock === isBlockCollection(then.node) &&
    (!isBlock || first === undefined || columnAt(now.text, first) === columnAt(then.text, slot)) &&
    isDeepStrictEqual(slot.node?.toJSON(), value)
  if (!isAlike) return { index, comments: 0 }
  const [start, end] = [itemStart(slot.item), itemEnd(then.text, slot)]
  if (!isBlock) return { index, comments: 0, source: then.text.slice(start, end) }
  const lineStart = lineStartAt(then.text, start)
  const source = normalizeLineEndings(then.text.slice(lineStart, lineBreakAt(then.text, end)))
  const above = commentsAbove(then.text, lineStart)
  const ahead = now.slots[index - 1]
  const below =
    ahead === undefined
      ? commentsAbove(now.text, lineStartAt(now.text, first === undefined ? 0 : itemStart(first.item)))
      : commentsBelow(now.text, itemEnd(now.text, ahead))
  if (above.every((line, place) => below[place] === line)) return { index, comments: above.length, source }
  const areGone = above.every((line) => !below.includes(line))
  return { index, comments: 0, source: [...(areGone ? above : []), source].join('\n') }
}

function columnAt(text: string, { item }: YamlSlot): number {
  return columnOf(text, itemStart(item))
}

/** Reports whether two slots are the same key of a map, or equal items of a list. */
function isSame(one: YamlSlot, other: YamlSlot): boolean {
  const [key, otherKey] = [one, other].map(({ parent, index }) =>
    isMap(parent) ? parent.items[index]?.key : undefined,
  )
  if (isMap(one.parent)) return String(key) === String(otherKey)
  return isDeepStrictEqual(one.node?.toJSON(), other.node?.toJSON())
}

function withLineEndingsOf(text: string, former: string): string {
  return former.replaceAll(/\r\n|\n/g, detectLineEnding(text) === '\r\n' ? '\r\n' : '\n')
}

function normalizeLineEndings(text: string): string {
  return text.replaceAll('\r\n', '\n')
}
