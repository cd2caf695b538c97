import { isMap, isScalar, isSeq, parseDocument } from 'yaml'
import { readText, type Snapshot } from '../../snapshot/snapshot.js'
import type { Metric, Note, Snippet } from '../entry.js'
import type { LocatedSlot } from '../entry-slots.js'
import { slotAt, type YamlPath } from './slot-edits.js'

/**
 * Returns the slots of an entry: a query and a note are one file each; a metric has a slot for each text of
 * its YAML file that is written literally.
 */
export function locateSlots(entry: Metric | Snippet | Note, snapshot: Snapshot): readonly LocatedSlot[] {
  const text = readText(snapshot, entry.path) ?? ''
  if ('parameters' in entry) return metricSlots(text)
  const kind = 'name' in entry ? 'query' : 'prose'
  return [{ slot: { kind }, text, start: 0, end: text.length }]
}

function metricSlots(text: string): LocatedSlot[] {
  const mark = text.startsWith('\ufeff') ? 1 : 0
  const { contents } = parseDocument(text.slice(mark), { logLevel: 'error' })
  return textsIn(contents, []).flatMap(({ at, from, to, value }): LocatedSlot[] => {
    const [start, end] = [from + mark, to + mark]
    const [first, last] = [text.charAt(start), text.charAt(end - 1)]
    const quotes = first === last && (first === '"' || first === "'") ? 1 : 0
    const written = text.slice(start + quotes, end - quotes)
    return written === value
      ? [{ slot: slotAt(at), text: value, start: start + quotes, end: end - quotes }]
      : []
  })
}

interface TextNode {
  readonly at: YamlPath
  readonly from: number
  readonly to: number
  readonly value: string
}

function textsIn(node: unknown, at: YamlPath): TextNode[] {
  if (isMap(node))
    return node.items.flatMap(({ key, value }) =>
      isScalar(key) ? textsIn(value, [...at, String(key.value)]) : [],
    )
  if (isSeq(node)) return node.items.flatMap((item, index) => textsIn(item, [...at, index]))
  if (!isScalar(node) || typeof node.value !== 'string' || node.range == null) return []
  return [{ at, from: node.range[0], to: node.range[1], value: node.value }]
}
