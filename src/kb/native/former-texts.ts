import type { Edit, YamlEdit, YamlValue } from '../../edit/edit-types.js'
import { restorePlacement } from '../../edit/yaml-restore-placement.js'
import { readYaml } from '../../snapshot/yaml.js'
import type { FormerTexts, FormerValue } from '../knowledge-adapter.js'
import { nativeFormerLines } from './former-lines.js'

export const nativeFormerTexts: FormerTexts = {
  lines: nativeFormerLines,
  queryIn: (_, text) => text,
  valuesOf(entry, path, text, snapshot) {
    const bytes = snapshot.files.get(path)
    const now = bytes && dataOf(bytes, path)
    const then = now === undefined ? undefined : dataOf(text, path)
    if (now === undefined || then === undefined) return undefined
    return diffYamlValues(now, then, { path, entry, at: [] }).map(
      (edit): FormerValue => ({
        edit,
        isAddition: edit.action === 'set' && edit.expected === undefined,
      }),
    )
  },
  placedAsBefore(proposed, previous, texts, { files }) {
    const edit = shiftAfterInsertion(previous, proposed)
    const bytes = edit.kind === 'edit_metric' ? files.get(edit.path) : undefined
    if (edit.kind !== 'edit_metric' || bytes === undefined) return edit
    for (const text of texts) {
      const placed = restorePlacement(edit, text, bytes)
      if (placed !== undefined) return placed
    }
    return edit
  },
}

/**
 * Moves an item after the preceding one that was restored to its former place: the list's order then differs
 * from the planned one.
 */
function shiftAfterInsertion(last: Edit | undefined, edit: Edit): Edit {
  const isAddition = (each: Edit | undefined): each is YamlEdit =>
    each?.kind === 'edit_metric' && each.action === 'append'
  if (!isAddition(last) || !isAddition(edit) || last.path !== edit.path) return edit
  if (last.at.join('\0') !== edit.at.join('\0') || !Array.isArray(last.expected)) return edit
  const added: YamlValue = last.value ?? null
  const index = last.placed?.index ?? last.expected.length
  return { ...edit, expected: last.expected.toSpliced(index, 0, added) }
}

type YamlLocation = Pick<YamlEdit, 'path' | 'entry' | 'at'>

/**
 * Returns the edits that turn one value into the other, key by key; additions come first, so that no map is
 * empty in between.
 */
function diffYamlValues(now: YamlValue, then: YamlValue, place: YamlLocation): YamlEdit[] {
  if (!isMap(now) || !isMap(then)) {
    if (JSON.stringify(now) === JSON.stringify(then)) return []
    return [{ kind: 'edit_metric', ...place, action: 'set', expected: now, value: then }]
  }
  const below = (key: string): YamlLocation => ({ ...place, at: [...place.at, key] })
  const set = Object.entries(then).flatMap(([key, value]): YamlEdit[] => {
    const today = Object.hasOwn(now, key) ? now[key] : undefined
    return today === undefined
      ? [{ kind: 'edit_metric', ...below(key), action: 'set', expected: undefined, value }]
      : diffYamlValues(today, value, below(key))
  })
  const gone = Object.entries(now).filter(([key]) => !Object.hasOwn(then, key))
  return [
    ...set,
    ...gone.map(
      ([key, expected]): YamlEdit => ({ kind: 'edit_metric', ...below(key), action: 'remove', expected }),
    ),
  ]
}

function dataOf(input: string | Uint8Array, path: string): YamlValue | undefined {
  const outcome = readYaml(input, path)
  if (outcome.kind === 'problem') return undefined
  const { data } = outcome.file
  return isMap(data) && isPlain(data) ? data : undefined
}

function isMap(value: unknown): value is { readonly [key: string]: YamlValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isPlain(value: unknown): value is YamlValue {
  if (Array.isArray(value)) return value.every(isPlain)
  if (isMap(value)) return Object.values(value).every(isPlain)
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}
