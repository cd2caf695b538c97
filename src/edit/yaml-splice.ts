import { type CST, isMap, isScalar, isSeq, type Node, type YAMLMap, type YAMLSeq } from 'yaml'
import type { TextChange } from '../text/text-changes.js'
import type { PlacedItem, YamlValue } from './edit-types.js'
import { columnOf, commentsAbove, lineBreakAt, lineStartAt } from './yaml-lines.js'
import { slotsOf, type YamlSlot } from './yaml-path.js'
import {
  type Quoting,
  renderBlock,
  renderFlow,
  renderPair,
  renderText,
  type YamlStyle,
} from './yaml-render.js'

/** The source text of a file, without byte order mark, and its style. */
export interface YamlSource {
  readonly text: string
  readonly lineEnd: '\n' | '\r\n'
  readonly padded: boolean
}

/** Replaces a value, in the style of the old one if it has one. */
export function replaceValue(source: YamlSource, slot: YamlSlot, value: YamlValue): TextChange[] {
  const { node, item } = slot
  const style: YamlStyle = { padded: source.padded, quoting: quotingOf(node) }
  const flow = renderFlow(value, style)
  const valueStart = afterIndicator(slot)
  if (node?.range == null || node.range[0] === node.range[1]) {
    const colon = isMap(slot.parent) && !item.sep?.some((part) => part.type === 'map-value-ind') ? ':' : ''
    return [{ start: valueStart, end: valueStart, text: `${colon} ${flow}` }]
  }
  const [start] = node.range
  if (isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED')) {
    const block = typeof value === 'string' ? blockScalar(source, node, start, value) : undefined
    if (block !== undefined) return [block]
    return [{ start, end: trimmedEnd(source.text, start, node.range[1]), text: flow }]
  }
  if (!isBlockCollection(node)) return [{ start, end: node.range[1], text: flow }]
  const end = contentEnd(source.text, node)
  const sameKind = Array.isArray(value) === isSeq(node)
  const block = sameKind
    ? renderBlock(value, ' '.repeat(columnOf(source.text, start)), source.lineEnd, style)
    : undefined
  if (block !== undefined) return [{ start, end, text: block.trimStart() }]
  // A comment after the key stays after the value that moves up to it.
  const between = source.text.slice(valueStart, start).trimEnd()
  return [{ start: valueStart, end, text: ` ${flow}${between}` }]
}

/**
 * Adds an item to a list, or an entry with this key to a map: after the last one, or at the given position.
 */
export function addItem(
  source: YamlSource,
  parent: YAMLMap | YAMLSeq,
  key: string | number,
  value: YamlValue,
  placed?: PlacedItem,
): TextChange[] {
  const slots = slotsOf(parent)
  const style: YamlStyle = { padded: source.padded, quoting: siblingQuoting(slots) }
  const text = isMap(parent) ? renderPair(key, value, style) : renderFlow(value, style)
  const [first] = slots
  const ahead = slots.slice(0, placed?.index)
  const last = ahead.at(-1)
  const written = placed?.source?.replaceAll('\n', source.lineEnd)
  if (first === undefined) return fillEmpty(source, parent, written ?? text)
  const start = itemStart(first.item)
  const indent = ' '.repeat(columnOf(source.text, start))
  if (!isBlockCollection(parent))
    return last === undefined
      ? insertFirstInFlow(source, parent, start, written ?? text)
      : appendToFlow(source, ahead, last, written ?? text)
  const line = written ?? indent + (isSeq(parent) ? '- ' : '') + text
  if (last === undefined) return [insertBeforeFirst(source, start, line, placed?.comments ?? 0)]
  const end = itemEnd(source.text, last)
  if (source.text[end - 1] === '\n') return [{ start: end, end, text: line + source.lineEnd }]
  let position = lineBreakAt(source.text, end)
  for (let below = 0; below < (placed?.comments ?? 0); below++)
    position = lineBreakAt(source.text, source.text.indexOf('\n', position) + 1)
  return [{ start: position, end: position, text: source.lineEnd + line }]
}

/** Inserts before the first item of a block, and before all but some of the comments above that. */
function insertBeforeFirst(
  { text, lineEnd }: YamlSource,
  first: number,
  line: string,
  comments: number,
): TextChange {
  let start = lineStartAt(text, first)
  // The first key of a map that starts on the line of its list item.
  if (text.slice(start, first).trim() !== '')
    return { start: first, end: first, text: line.trimStart() + lineEnd + ' '.repeat(columnOf(text, first)) }
  for (let left = commentsAbove(text, start).length; left > comments; left--)
    start = lineStartAt(text, start - 1)
  return { start, end: start, text: line + lineEnd }
}

function insertFirstInFlow(
  source: YamlSource,
  parent: YAMLMap | YAMLSeq,
  start: number,
  text: string,
): TextChange[] {
  const gap = source.text.slice((parent.range?.[0] ?? start) + 1, start)
  const indent = ' '.repeat(columnOf(source.text, start))
  const separator = gap.includes('\n') ? `,${source.lineEnd}${indent}` : ', '
  return [{ start, end: start, text: text + separator }]
}

/** Renames a key, keeping its quotes; undefined if it is not plain text on one line. */
export function renameKey({ parent, index }: YamlSlot, name: string): TextChange[] | undefined {
  const key = isMap(parent) ? parent.items[index]?.key : undefined
  if (!isScalar(key) || key.range == null || key.anchor !== undefined || key.tag !== undefined)
    return undefined
  const [start, end] = key.range
  return [{ start, end, text: renderText(name, quotingOf(key)) }]
}

/**
 * Removes a list item or a map entry; undefined if its list or map would be left empty (replace that
 * instead).
 */
export function removeItem(source: YamlSource, slot: YamlSlot): TextChange[] | undefined {
  const slots = slotsOf(slot.parent)
  const index = slots.findIndex((other) => other.index === slot.index)
  const next = slots[index + 1]
  const previous = slots[index - 1]
  if (next === undefined && previous === undefined) return undefined
  const start = itemStart(slot.item)
  const end = itemEnd(source.text, slot)
  if (!isBlockCollection(slot.parent)) {
    if (previous !== undefined) return [{ start: itemEnd(source.text, previous), end, text: '' }]
    return next === undefined ? undefined : [{ start, end: itemStart(next.item), text: '' }]
  }
  const lineStart = lineStartAt(source.text, start)
  if (source.text.slice(lineStart, start).trim() !== '') {
    // The first entry of a map that starts on the line of its list item: the next one takes its place.
    return next === undefined ? undefined : [{ start, end: itemStart(next.item), text: '' }]
  }
  if (source.text[end - 1] === '\n') return [{ start: lineStart, end, text: '' }]
  const lineBreak = lineBreakAt(source.text, end)
  const nextLine = source.text.indexOf('\n', lineBreak) + 1
  if (nextLine > 0) return [{ start: lineStart, end: nextLine, text: '' }]
  // The last line of a file without a final newline: the preceding line loses its line end instead.
  return [{ start: lineStart - source.lineEnd.length, end: source.text.length, text: '' }]
}

function appendToFlow(
  source: YamlSource,
  slots: readonly YamlSlot[],
  last: YamlSlot,
  text: string,
): TextChange[] {
  const end = itemEnd(source.text, last)
  const start = itemStart(last.item)
  const previous = slots.at(-2)
  const opening = last.parent.range?.[0] ?? start
  const gap = source.text.slice(previous === undefined ? opening + 1 : itemEnd(source.text, previous), start)
  if (!gap.includes('\n')) {
    const separator = previous !== undefined && /^\s*,\s*$/.test(gap) ? gap : ', '
    return [{ start: end, end, text: separator + text }]
  }
  const comma = /^\s*,/.exec(source.text.slice(end))?.[0] ?? ''
  const line = source.lineEnd + ' '.repeat(columnOf(source.text, start)) + text + (comma === '' ? '' : ',')
  const after = end + comma.length
  const lineBreak = lineBreakAt(source.text, after)
  const restIsComment = /^\s*(#.*)?$/.test(source.text.slice(after, lineBreak))
  const position = restIsComment ? lineBreak : after
  const missing = comma === '' ? [{ start: end, end, text: ',' }] : []
  if (position === end) return [{ start: end, end, text: `${comma === '' ? ',' : ''}${line}` }]
  return [...missing, { start: position, end: position, text: line }]
}

function fillEmpty(source: YamlSource, parent: YAMLMap | YAMLSeq, text: string): TextChange[] {
  const [start, end] = parent.range ?? [0, 0]
  const inner = source.text.slice(start + 1, end - 1)
  const pad = isMap(parent) && source.padded ? ' ' : ''
  if (inner.trim() === '') return [{ start: start + 1, end: end - 1, text: pad + text + pad }]
  return [{ start: start + 1, end: start + 1, text: pad + text }]
}

function blockScalar(source: YamlSource, node: Node, start: number, value: string): TextChange | undefined {
  const [, end] = node.range ?? [start, start]
  const written = source.text.slice(start, end)
  const header = /^[|>][+-]?/.exec(written)?.[0]
  const indent = /\n( +)\S/.exec(written)?.[1]
  // Folded text and unusual headers change meaning with their layout; quotes do not.
  if (header === undefined || header[0] !== '|' || header.endsWith('+') || indent === undefined)
    return undefined
  const kept = value.endsWith('\n') ? value.slice(0, -1) : value
  if (kept === '' || /^\s|\n$|[^\P{Cc}\n\t]/u.test(kept)) return undefined
  const lines = kept.split('\n').map((line) => (line === '' ? '' : indent + line))
  const chomp = value.endsWith('\n') ? '|' : '|-'
  const headerEnd = lineBreakAt(source.text, start)
  const comment = source.text.slice(start + header.length, headerEnd)
  return {
    start,
    end: trimmedEnd(source.text, start, end),
    text: [chomp + comment, ...lines].join(source.lineEnd),
  }
}

export function isBlockCollection(node: Node): boolean {
  if (!isMap(node) && !isSeq(node)) return false
  const type = node.srcToken?.type
  return type === 'block-map' || type === 'block-seq'
}

function quotingOf(node: Node | null): Quoting {
  if (!isScalar(node)) return 'plain'
  if (node.type === 'QUOTE_SINGLE') return 'single'
  return node.type === 'QUOTE_DOUBLE' ? 'double' : 'plain'
}

/** Returns the quotes that every sibling has. */
function siblingQuoting(slots: readonly YamlSlot[]): Quoting {
  const kinds = new Set(slots.map((slot) => (isScalar(slot.node) ? quotingOf(slot.node) : 'plain')))
  const [kind] = kinds
  return kinds.size === 1 && kind !== undefined ? kind : 'plain'
}

/** Returns the offset after the colon or dash that introduces the value. */
function afterIndicator({ item }: YamlSlot): number {
  const parts = item.sep ?? item.start
  const indicator = parts.find((part) => part.type === 'map-value-ind' || part.type === 'seq-item-ind')
  if (indicator !== undefined) return indicator.offset + indicator.source.length
  return tokenEnd(item.key) ?? itemStart(item)
}

/**
 * Returns the offset of the first character of an item that is neither space nor a comment nor a comma before
 * it.
 */
export function itemStart(item: CST.CollectionItem): number {
  const skipped = new Set(['space', 'newline', 'comment', 'comma'])
  const first = item.start.find((part) => !skipped.has(part.type))
  return first?.offset ?? item.key?.offset ?? item.value?.offset ?? item.sep?.[0]?.offset ?? 0
}

function tokenEnd(token: CST.Token | null | undefined): number | undefined {
  return token != null && 'source' in token ? token.offset + token.source.length : undefined
}

/**
 * Returns the offset after the last significant character of an item: no comment, and no line end except that
 * of a block text.
 */
export function itemEnd(text: string, slot: YamlSlot): number {
  if (slot.node?.range != null && slot.node.range[0] !== slot.node.range[1])
    return contentEnd(text, slot.node)
  return afterIndicator(slot)
}

function contentEnd(text: string, node: Node): number {
  const [start, end] = node.range ?? [0, 0]
  if (isBlockCollection(node) && (isMap(node) || isSeq(node))) {
    const last = slotsOf(node).at(-1)
    if (last !== undefined) return itemEnd(text, last)
  }
  // Kept trailing lines (`|+`) are content.
  if (isScalar(node) && /^[|>]\d*\+/.test(text.slice(start, start + 3))) return end
  return trimmedEnd(text, start, end)
}

function trimmedEnd(text: string, start: number, end: number): number {
  return start + text.slice(start, end).trimEnd().length
}
