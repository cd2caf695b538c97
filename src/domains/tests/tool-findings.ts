import { isDeepStrictEqual } from 'node:util'
import type { TracedCall } from '../../subagent/runner/trace.js'
import type { ToolTruth } from '../../testgen/tool-contracts.js'

/** A field in which a tool's result differs from what the host saw. */
export interface ToolFinding {
  readonly tool: string
  /** Path of its script. */
  readonly script: string
  /** `parameters[2].default`; `result` for the whole, `file PATH` for what it wrote. */
  readonly field: string
  readonly said: unknown
  readonly saw: unknown
}

/** Returns where a traced call differs from the truth; none for a call of which the truth is not known. */
export function findingsOfCall({ name, script, value, problem, truth }: TracedCall): readonly ToolFinding[] {
  if (script === undefined || truth === undefined) return []
  // Written by this program, so its shape is trusted.
  const known = truth as ToolTruth
  const finding = (field: string, said: unknown, saw: unknown): ToolFinding => ({
    ...{ tool: name, script, field, said, saw },
  })
  if (problem !== undefined) return [finding('result', problem, known.result)]
  return differencesFrom(known, value).map(({ field, said, saw }) => finding(field, said, saw))
}

export interface FieldDifference {
  readonly field: string
  readonly said: unknown
  readonly saw: unknown
}

/** Compares a result with what it should be. */
export function differencesFrom(
  { result, optional, files = {}, filesSeen = {} }: ToolTruth,
  value: unknown,
): readonly FieldDifference[] {
  const inFiles = Object.entries(files).flatMap(([path, text]): FieldDifference[] =>
    text === (filesSeen[path] ?? null)
      ? []
      : [{ field: `file ${path}`, said: filesSeen[path] ?? null, saw: text }],
  )
  const more = isObject(value) && optional !== undefined ? presentFields(optional, value) : undefined
  const found = [...compare(value, result, ''), ...(more === undefined ? [] : compare(value, more, ''))]
  const fields = new Set<string>()
  const distinct = found.filter(({ field }) => !fields.has(field) && fields.add(field))
  return [...distinct, ...inFiles]
}

/** Returns the optional fields that a result has; of lists of objects, with the keys that its objects have. */
function presentFields(
  optional: Readonly<Record<string, unknown>>,
  value: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const entries = Object.entries(optional).filter(([key]) => Object.hasOwn(value, key))
  return Object.fromEntries(
    entries.map(([key, saw]) => {
      const said = value[key]
      if (!Array.isArray(saw) || !Array.isArray(said)) return [key, saw]
      const keys = new Set(said.filter(isObject).flatMap((each) => Object.keys(each)))
      const kept = saw.map((each: unknown) =>
        isObject(each) ? Object.fromEntries(Object.entries(each).filter(([name]) => keys.has(name))) : each,
      )
      return [key, kept]
    }),
  )
}

/** Returns the fields in which a value differs from what is wanted; fields that are not asked for may be there. */
function compare(said: unknown, wanted: unknown, path: string): FieldDifference[] {
  const field = path === '' ? 'result' : path
  if (isContaining(wanted))
    return typeof said === 'string' && (wanted.contains === '' ? said !== '' : said.includes(wanted.contains))
      ? []
      : [{ field, said, saw: wanted.contains === '' ? 'a reason' : wanted.contains }]
  if (Array.isArray(wanted)) {
    if (!Array.isArray(said) || said.length !== wanted.length) return [{ field, said, saw: wanted }]
    const [ours, theirs] = [ordered(said), ordered(wanted)]
    return theirs.flatMap((each, at) => compare(ours[at], each, `${path}[${at}]`))
  }
  if (isObject(wanted)) {
    if (!isObject(said)) return [{ field, said, saw: wanted }]
    return Object.entries(wanted).flatMap(([key, each]) =>
      compare(said[key], each, path === '' ? key : `${path}.${key}`),
    )
  }
  return isDeepStrictEqual(said, wanted) ? [] : [{ field, said, saw: wanted }]
}

/** Failures have no order of their own: they are compared by the name of their test. */
function ordered(items: readonly unknown[]): readonly unknown[] {
  const name = (item: unknown): string => (isObject(item) && 'test' in item ? String(item['test']) : '')
  return items.every((item) => isObject(item) && 'test' in item)
    ? [...items].sort((a, b) => (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0))
    : items
}

function isContaining(value: unknown): value is { readonly contains: string } {
  return isObject(value) && Object.keys(value).length === 1 && typeof value['contains'] === 'string'
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Describes a finding in one line: "run_tests said passed: 3, the host saw 2". */
export function describeFinding({ tool, field, said, saw }: ToolFinding): string {
  return `${tool} said ${field}: ${shortValue(said)}, the host saw ${shortValue(saw)}`
}

/** Returns a value on one line, in short. */
export function shortValue(value: unknown): string {
  const text = value === undefined ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value)
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
