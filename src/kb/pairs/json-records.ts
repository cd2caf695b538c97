import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { Skipped } from '../entries/entry-format.js'
import { lineCounter, nextLine } from '../entries/text-lines.js'
import type { Field, PairRecord, Records } from './record.js'

/** Reads one object a line. */
export function readJsonLines(path: string, file: string): Records {
  const records: PairRecord[] = []
  const skipped: Skipped[] = []
  let start = file.startsWith('\uFEFF') ? 1 : 0
  for (let line = 1; start < file.length; line++) {
    const end = nextLine(file, start)
    const text = file.slice(start, end)
    if (text.trim() !== '') {
      const errors: ParseError[] = []
      const tree = parseTree(text, errors, { disallowComments: true })
      const [error] = errors
      if (error !== undefined)
        skipped.push({ path, line, why: `not valid JSON: ${printParseErrorCode(error.error)}` })
      else if (tree?.type !== 'object') skipped.push({ path, line, why: 'not an object' })
      else
        records.push({
          fields: fieldsOf(tree, text, start, line, path, skipped),
          whole: { start, end },
          line,
        })
    }
    start = end
  }
  return { records, skipped }
}

/** Reads the objects of the lists in a JSON file, at whatever depth. What follows an error is not read. */
export function readJsonRecords(path: string, file: string): Records {
  const lineOf = lineCounter(file)
  const errors: ParseError[] = []
  const skipped: Skipped[] = []
  const from = file.startsWith('\uFEFF') ? 1 : 0
  const tree = parseTree(file.slice(from), errors, { allowTrailingComma: true })
  const [error] = errors
  const sound = error === undefined ? file.length : from + error.offset
  if (error !== undefined)
    skipped.push({
      path,
      line: lineOf(sound),
      why: `from here on it is not read: not valid JSON: ${printParseErrorCode(error.error)}`,
    })
  const records: PairRecord[] = []
  const visit = (node: Node | undefined): void => {
    for (const [at, child] of (node?.children ?? []).entries()) {
      const start = from + child.offset
      const end = start + child.length
      if (node?.type === 'array' && child.type === 'object' && end <= sound)
        records.push({
          fields: fieldsOf(child, file, from, lineOf(start), path, skipped),
          whole: withComma(node, at, from),
          line: lineOf(start),
        })
      if (child.type !== 'string') visit(child)
    }
  }
  visit(tree)
  const readOnly = error === undefined ? undefined : `the file has an error at line ${lineOf(sound)}`
  return { records, skipped, readOnly }
}

/** An item of a list goes with the comma after it; the last one with the comma before it. */
function withComma(list: Node, at: number, from: number): { start: number; end: number } {
  const items = list.children ?? []
  const item = items[at]
  const next = items[at + 1]
  const previous = items[at - 1]
  const start = item?.offset ?? 0
  const end = start + (item?.length ?? 0)
  if (next !== undefined) return { start: from + start, end: from + next.offset }
  if (previous !== undefined) return { start: from + previous.offset + previous.length, end: from + end }
  return { start: from + start, end: from + end }
}

/** Returns the texts of an object; those of an object within it by their path. */
function fieldsOf(
  node: Node,
  text: string,
  from: number,
  line: number,
  path: string,
  skipped: Skipped[],
  prefix = '',
): Map<string, Field> {
  const fields = new Map<string, Field>()
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? []
    if (key === undefined || value === undefined) continue
    const name = prefix + String(key.value)
    if (fields.has(name))
      skipped.push({ path, line, why: `the key ${name} stands twice; the first one is read` })
    else if (value.type === 'string') {
      const start = from + value.offset
      fields.set(name, { value: String(value.value), span: { start, end: start + value.length } })
    } else if (value.type === 'object')
      for (const [inner, field] of fieldsOf(value, text, from, line, path, skipped, `${name}.`))
        fields.set(inner, field)
  }
  return fields
}

/** Writes a JSON string; in ASCII alone where its author wrote escapes. */
export function encodeJsonText(text: string, written: string): string {
  const json = JSON.stringify(text)
  const isEscaped = /\\u[0-9a-f]{4}/i.test(written) && !/[^\0-\x7f]/.test(written)
  if (!isEscaped) return json
  return json.replaceAll(
    /[\u0080-\uffff]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
