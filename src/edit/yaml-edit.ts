import { isDeepStrictEqual } from 'node:util'
import { type Document, isMap, isSeq, parseDocument } from 'yaml'
import { messageOf } from '../errors.js'
import { changedText, type TextChange } from '../text/text-changes.js'
import { editConflict, quoted } from './edit-conflict.js'
import type { PlacedItem, YamlEdit, YamlValue } from './edit-types.js'
import { isNullNode, nodeEquals, type ResolvedPath, resolveYamlPath, slotsOf } from './yaml-path.js'
import { addItem, removeItem, renameKey, replaceValue, type YamlSource } from './yaml-splice.js'

type FoundPath = Extract<ResolvedPath, { kind: 'found' }>

/**
 * Changes one value of a YAML file by splicing its text: every other byte stays. Throws `edit_conflict` if
 * the file is not one readable YAML document, the old value is not the expected one, nothing would change, or
 * the spliced text would not parse to the intended data.
 */
export function editYaml(bytes: Uint8Array, edit: YamlEdit): Uint8Array {
  const whole = decode(bytes, edit.path)
  const mark = whole.startsWith('\ufeff') ? '\ufeff' : ''
  const source = sourceOf(whole.slice(mark.length))
  const document = parse(source.text, edit.path)
  checkEntry(document, edit)
  const place = resolveYamlPath(document.contents, edit.at)
  if (place.kind === 'unreachable') throw conflict(edit, place.reason)
  checkExpected(place, edit)

  const intended = structuredClone(dataOf(document, edit.path))
  const splices = splicesFor(source, place, edit, intended)
  const former = edit.placed?.former && formerWording(source.text, edit.placed.former, edit.path, intended)
  if (former !== undefined) return new TextEncoder().encode(mark + former)
  const text = changedText(source.text, splices)
  if (text === source.text) throw conflict(edit, 'the edit changes nothing')
  const result = dataOf(parse(text, edit.path), edit.path)
  if (!isDeepStrictEqual(result, intended)) throwNotIsolated(edit)
  return new TextEncoder().encode(mark + text)
}

/** Returns the text with the replacements, if they still apply and mean exactly what the edit does. */
function formerWording(
  text: string,
  replacements: NonNullable<PlacedItem['former']>,
  path: string,
  intended: unknown,
): string | undefined {
  let result = text
  for (const { search, replace } of replacements) {
    if (search === '' || result.split(search).length !== 2) return undefined
    result = result.replace(search, () => replace)
  }
  if (result === text) return undefined
  const document = parseDocument(result, { logLevel: 'error' })
  if (document.errors.length > 0 || document.warnings.length > 0) return undefined
  return isDeepStrictEqual(dataOf(document, path), intended) ? result : undefined
}

/** Returns the splices of the edit, and applies the edit to the parsed data as well. */
function splicesFor(
  source: YamlSource,
  place: Exclude<ResolvedPath, { kind: 'unreachable' }>,
  edit: YamlEdit,
  data: unknown,
): TextChange[] {
  if (edit.action === 'remove') {
    if (place.kind === 'absent') throw conflict(edit, 'there is nothing to remove')
    removeAt(data, place.keys)
    return removeItem(source, place.slot) ?? replaceWithEmpty(source, place, edit)
  }
  if (edit.value === undefined) throw conflict(edit, 'the edit has no new value')
  const { value } = edit
  if (edit.action === 'rename') {
    if (place.kind === 'absent') throw conflict(edit, 'there is nothing to rename')
    const key = String(value)
    renameAt(data, place.keys, key, edit)
    return renameKey(place.slot, key) ?? throwNotIsolated(edit)
  }
  if (edit.action === 'set') {
    setAt(data, place.keys, value)
    if (place.kind === 'found') return replaceValue(source, place.slot, value)
    const { parent, key } = place
    if ('item' in parent)
      return replaceValue(source, parent, typeof key === 'number' ? [value] : { [key]: value })
    if (isSeq(parent) && key !== slotsOf(parent).length) throw conflict(edit, `the list has no place ${key}`)
    return addItem(source, parent, key, value, edit.placed)
  }
  if (place.kind === 'absent' || isNullNode(place.slot.node)) {
    return splicesFor(source, place, { ...edit, action: 'set', value: [value] }, data)
  }
  const list = place.slot.node
  if (!isSeq(list)) throw conflict(edit, 'a list was expected')
  const index = Math.min(edit.placed?.index ?? list.items.length, list.items.length)
  insertAt(data, [...place.keys, index], value)
  return addItem(source, list, index, value, edit.placed)
}

/** Replaces a list or map whose last item is removed with an empty one. */
function replaceWithEmpty(source: YamlSource, { slot, keys }: FoundPath, edit: YamlEdit): TextChange[] {
  const empty: YamlValue = isMap(slot.parent) ? {} : []
  const document = parse(source.text, edit.path)
  const holder = resolveYamlPath(document.contents, keys.slice(0, -1))
  if (holder.kind !== 'found') throw conflict(edit, 'the file would become empty')
  return replaceValue(source, holder.slot, empty)
}

function checkEntry(document: Document.Parsed, edit: YamlEdit): void {
  const name = isMap(document.contents) ? document.contents.get('metric') : undefined
  if (typeof name !== 'string' || edit.entry === name || edit.entry === `metric:${name}`) return
  throw editConflict(edit.path, `${edit.entry} was expected, but the file holds metric:${name}`)
}

function checkExpected(place: Exclude<ResolvedPath, { kind: 'unreachable' }>, edit: YamlEdit): void {
  const node = place.kind === 'found' ? place.slot.node : null
  if (place.kind === 'absent' ? edit.expected === undefined : nodeEquals(node, edit.expected)) return
  const expected = edit.expected === undefined ? 'nothing' : quoted(JSON.stringify(edit.expected))
  const found = place.kind === 'absent' ? 'nothing' : quoted(JSON.stringify(node))
  throw conflict(edit, `${expected} was expected, but there is ${found}`)
}

function conflict(edit: YamlEdit, reason: string, hint?: string) {
  return editConflict(edit.path, `${edit.action} ${edit.at.join('.')}: ${reason}`, hint)
}

function throwNotIsolated(edit: YamlEdit): never {
  throw conflict(
    edit,
    'the edit cannot be applied without changing other parts of the file',
    'Edit this place by hand.',
  )
}

export function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw editConflict(path, `the file is not UTF-8 (${messageOf(error)})`, 'Save it as UTF-8 first.')
  }
}

function sourceOf(text: string): YamlSource {
  const all = text.split('\n').length - 1
  const withReturn = text.split('\r\n').length - 1
  const braces = [...text.matchAll(/(?<!\{)\{(?!\{)([^\n])/g)].map((match) => match[1])
  const padded = braces.includes(' ') || !braces.some((next) => next !== '}' && next !== undefined)
  return { text, lineEnd: withReturn * 2 > all ? '\r\n' : '\n', padded }
}

export function parse(text: string, path: string): Document.Parsed {
  const document = parseDocument(text, { keepSourceTokens: true, logLevel: 'error' })
  const problem = document.errors[0] ?? document.warnings[0]
  if (problem === undefined) return document
  throw editConflict(path, `readable YAML was expected: ${problem.message.split('\n')[0]}`)
}

function dataOf(document: Document, path: string): unknown {
  try {
    return document.toJS()
  } catch (error) {
    // Aliases that multiply, or that contain themselves.
    throw editConflict(path, `readable YAML was expected: ${messageOf(error)}`)
  }
}

type Container = Record<string | number, unknown>

function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null
}

function parentOf(data: unknown, keys: readonly (string | number)[]): Container | undefined {
  let parent: unknown = data
  for (const key of keys.slice(0, -1)) parent = isContainer(parent) ? parent[key] : undefined
  return isContainer(parent) ? parent : undefined
}

function setAt(data: unknown, keys: readonly (string | number)[], value: YamlValue): void {
  const key = keys.at(-1)
  const parent = parentOf(data, keys)
  if (key === undefined) return
  if (parent !== undefined) parent[key] = structuredClone(value)
  else setAt(data, keys.slice(0, -1), typeof key === 'number' ? [value] : { [key]: value })
}

function insertAt(data: unknown, keys: readonly (string | number)[], value: YamlValue): void {
  const list = parentOf(data, keys)
  if (Array.isArray(list)) list.splice(Number(keys.at(-1)), 0, structuredClone(value))
}

function removeAt(data: unknown, keys: readonly (string | number)[]): void {
  const key = keys.at(-1)
  const parent = parentOf(data, keys)
  if (key === undefined || parent === undefined) return
  if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else delete parent[key]
}

function renameAt(data: unknown, keys: readonly (string | number)[], name: string, edit: YamlEdit): void {
  const key = keys.at(-1)
  const parent = parentOf(data, keys)
  if (key === undefined || parent === undefined || Array.isArray(parent)) throwNotIsolated(edit)
  if (Object.hasOwn(parent, name)) throw conflict(edit, `${name} already exists`)
  parent[name] = parent[key]
  delete parent[key]
}
