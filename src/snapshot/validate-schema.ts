import { z } from 'zod'
import type { ErrorCode } from '../errors.js'
import { nearest } from '../text/nearest-word.js'
import { type Problem, problemsError } from './file-problem.js'
import type { YamlFile } from './yaml.js'

type Issue = z.core.$ZodIssue
type Path = readonly (string | number)[]

export type CheckOutcome<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | { readonly kind: 'problems'; readonly problems: readonly Problem[] }

/**
 * Checks a file against a schema: returns the value, or every problem with its position and, for a misspelt
 * key, the nearest one.
 */
export function checkSchema<S extends z.ZodType>(schema: S, yaml: YamlFile): CheckOutcome<z.output<S>> {
  const result = schema.safeParse(yaml.data)
  if (result.success) return { kind: 'valid', value: result.data }
  return {
    kind: 'problems',
    problems: result.error.issues.flatMap((issue) => problemsOf(issue, schema, yaml)),
  }
}

/** Like `checkSchema`, but throws `AutotestError(code)` with a line for each problem. */
export function validate<S extends z.ZodType>(schema: S, yaml: YamlFile, code: ErrorCode): z.output<S> {
  const outcome = checkSchema(schema, yaml)
  if (outcome.kind === 'problems') throw problemsError(code, outcome.problems)
  return outcome.value
}

function problemsOf(issue: Issue, schema: z.ZodType, yaml: YamlFile): Problem[] {
  const path = issue.path.map((segment) => (typeof segment === 'number' ? segment : String(segment)))
  const owner = ownerOf(yaml.data, path)
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, path)
    return issue.keys.map((key) => {
      return {
        ...at(yaml, [...path, key]),
        message: `unknown key \`${key}\`${owner}`,
        hint: suggestKey(key, known),
      }
    })
  }
  if (issue.code === 'invalid_union') {
    const branch = likelyBranch(issue.errors)
    if (branch !== undefined)
      return branch.flatMap((inner) =>
        problemsOf({ ...inner, path: [...issue.path, ...inner.path] }, schema, yaml),
      )
  }
  const name = path.length === 0 ? 'file' : `\`${lastKey(path)}\``
  // The named item does not contain itself.
  const holder = typeof path.at(-1) === 'string' ? ownerOf(yaml.data, path.slice(0, -1)) : owner
  return [{ ...at(yaml, path), ...describeIssue(issue, name, holder, valueAt(yaml.data, path)) }]
}

/** Up to this number of keys, all are listed. */
const shortList = 4

function suggestKey(key: string, known: readonly string[]): string {
  const guess = nearest(key, known)
  const all = `Keys here: ${known.join(', ')}.`
  if (guess === undefined) return all
  const meant = `did you mean \`${guess}\`?`
  return known.length > 1 && known.length <= shortList ? `${meant} ${all}` : meant
}

/** Describes the problem of a value, and what to write instead. */
function describeIssue(
  issue: Issue,
  name: string,
  owner: string,
  value: unknown,
): { readonly message: string; readonly hint?: string } {
  if (issue.code === 'invalid_type') {
    if (value === undefined) return { message: `${name} is missing${owner}`, hint: `Add ${name}.` }
    const quotes =
      issue.expected === 'string' && isScalarValue(value) ? { hint: 'Put the value in quotes.' } : {}
    return {
      message: `${name} must be ${typeWords[issue.expected] ?? issue.expected}, not ${shownValue(value)}${owner}`,
      ...quotes,
    }
  }
  if (issue.code === 'invalid_value') {
    const allowed = issue.values.map(String)
    const guess = typeof value === 'string' ? nearest(value, allowed) : undefined
    const hint = guess === undefined ? `One of: ${allowed.join(', ')}.` : `did you mean \`${guess}\`?`
    return value === undefined
      ? { message: `${name} is missing${owner}`, hint }
      : { message: `${name} cannot be ${shownValue(value)}${owner}`, hint }
  }
  return { message: `${name} ${issue.message}${owner}` }
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map of keys',
  record: 'a map of keys',
}

/**
 * Returns the problems of the union branch that matches furthest: it is probably the one that the author
 * meant.
 */
function likelyBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  const depth = (issues: readonly Issue[]) =>
    Math.max(...issues.map((issue) => issue.path.length + (issue.code === 'unrecognized_keys' ? 1 : 0)))
  const ranked = branches
    .filter((issues) => issues.length > 0)
    .sort((a, b) => depth(b) - depth(a) || a.length - b.length)
  return ranked[0] !== undefined && depth(ranked[0]) > 0 ? ranked[0] : ranked.at(-1)
}

/** Returns the keys of a schema at a path; for a union, those of all branches. */
function keysAt(schema: z.core.$ZodType, path: Path): string[] {
  const [segment, ...rest] = path
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return keysAt(schema.unwrap(), path)
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) return keysAt(schema.unwrap(), path)
  if (schema instanceof z.ZodPipe)
    return [...new Set([...keysAt(schema.in, path), ...keysAt(schema.out, path)])]
  if (schema instanceof z.ZodUnion)
    return [...new Set(schema.options.flatMap((option) => keysAt(option, path)))]
  if (schema instanceof z.ZodArray) return segment === undefined ? [] : keysAt(schema.element, rest)
  if (schema instanceof z.ZodRecord) {
    if (segment !== undefined) return keysAt(schema.valueType, rest)
    return schema.keyType instanceof z.ZodEnum ? schema.keyType.options.map(String) : []
  }
  if (!(schema instanceof z.ZodObject)) return []
  if (segment === undefined) return Object.keys(schema.shape)
  const next: z.core.$ZodType | undefined = schema.shape[segment]
  return next === undefined ? [] : keysAt(next, rest)
}

/**
 * Returns ` in case \`gmv_th_monthly\``: the innermost list item with an id around a path, else the keys that
 * contain it.
 */
function ownerOf(data: unknown, path: Path): string {
  let value = data
  let owner = ''
  for (const [depth, segment] of path.entries()) {
    const list = path[depth - 1]
    value = child(value, segment)
    const id = child(value, 'id')
    if (typeof segment === 'number' && typeof list === 'string' && isScalarValue(id)) {
      owner = ` in ${list.replace(/s$/, '')} \`${String(id)}\``
    } else if (isObject(value) && path.slice(0, depth + 1).every((each) => typeof each === 'string'))
      owner = ` in \`${path.slice(0, depth + 1).join('.')}\``
  }
  return owner
}

function valueAt(data: unknown, path: Path): unknown {
  return path.reduce(child, data)
}

function child(value: unknown, key: string | number): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isScalarValue(value: unknown): boolean {
  return ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
}

function lastKey(path: Path): string {
  const end = path.at(-1)
  return typeof end === 'number' && path.length > 1 ? `${path.at(-2)}[${end}]` : String(end)
}

function shownValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (isObject(value)) return 'a map'
  if (value === null) return 'empty'
  const text = String(value)
  return `\`${text.length > 40 ? `${text.slice(0, 39)}…` : text}\``
}

function at(
  yaml: YamlFile,
  path: Path,
): { readonly file: string; readonly line: number; readonly column: number } {
  return { file: yaml.file, ...yaml.locate(path) }
}
