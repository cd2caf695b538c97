import { z } from 'zod'
import { messageOf } from '../errors.js'
import { forbiddenKeys } from '../llm/reply-json.js'

type JsonSchema = Readonly<Record<string, unknown>>

/** Returns why parameters are not a JSON Schema, or one that no answer satisfies. */
export function schemaProblems(parameters: JsonSchema): string[] {
  const kinds = wrongKeywordTypes(parameters, '')
  if (kinds.length > 0) return kinds.map((problem) => `\`parameters\` are not a JSON Schema: ${problem}`)
  try {
    z.fromJSONSchema(parameters)
  } catch (error) {
    // Every error that it throws is about the schema.
    const said = error instanceof TypeError ? 'a keyword has an invalid value' : messageOf(error)
    return [`\`parameters\` are not a JSON Schema: ${said}`]
  }
  return unanswerableProperties(parameters, '')
}

/**
 * Returns properties that are required but not allowed, or that no answer can have, in the schema and nested
 * ones.
 */
function unanswerableProperties(schema: JsonSchema, path: string): string[] {
  const { properties, required, items, additionalProperties } = schema
  const given = isSchema(properties) ? properties : {}
  const missing =
    Array.isArray(required) && additionalProperties === false
      ? required.filter((name) => typeof name === 'string' && !Object.hasOwn(given, name))
      : []
  const forbidden = Object.keys(given).filter((name) => forbiddenKeys.has(name))
  return [
    ...forbidden.map((name) => `\`properties\` has ${path}${name}, a key for which every answer is rejected`),
    ...missing.map((name) => `\`required\` names ${path}${name}, which \`properties\` do not define`),
    ...Object.entries(given).flatMap(([name, nested]) =>
      isSchema(nested) ? unanswerableProperties(nested, `${path}${name}.`) : [],
    ),
    ...(isSchema(items) ? unanswerableProperties(items, `${path}[].`) : []),
  ]
}

type ValueKind = 'a list' | 'a map' | 'a schema' | 'a number' | 'a text'

/** The value type that each keyword needs for the schema to be valid. */
const keywordKinds: Readonly<Record<string, readonly [ValueKind, string]>> = {
  ...keywordsOfKind(
    ['enum', 'required', 'anyOf', 'oneOf', 'allOf', 'prefixItems'],
    'a list',
    'as in [one, other]',
  ),
  ...keywordsOfKind(
    ['properties', 'patternProperties', '$defs', 'definitions'],
    'a map',
    'of a name and a schema each',
  ),
  ...keywordsOfKind(['items', 'not', 'additionalProperties'], 'a schema', 'as in { type: string }'),
  ...keywordsOfKind(
    ['minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum', 'multipleOf'],
    'a number',
    'as in 1',
  ),
  ...keywordsOfKind(['pattern', 'format', '$ref', 'description', 'title'], 'a text', 'in quotes'),
}

function keywordsOfKind(keywords: readonly string[], kind: ValueKind, example: string) {
  return Object.fromEntries(keywords.map((keyword) => [keyword, [kind, example] as const]))
}

/** Returns keywords with a value of the wrong type, in the schema and nested ones. */
function wrongKeywordTypes(schema: JsonSchema, path: string): string[] {
  const own = Object.entries(schema).flatMap(([keyword, value]) => {
    const [kind, example] = keywordKinds[keyword] ?? []
    if (kind === undefined || value === null || isOfKind(value, kind)) return []
    const where = path === '' ? '' : ` of ${path}`
    return [`\`${keyword}\`${where} must be ${kind}, ${example}`]
  })
  return [...own, ...nestedIn(schema, path).flatMap(([nested, at]) => wrongKeywordTypes(nested, at))]
}

function isOfKind(value: unknown, kind: ValueKind): boolean {
  switch (kind) {
    case 'a list':
      return Array.isArray(value)
    case 'a map':
      return isSchema(value)
    case 'a schema':
      return isSchema(value) || typeof value === 'boolean' || Array.isArray(value)
    case 'a number':
      return typeof value === 'number'
    case 'a text':
      return typeof value === 'string'
  }
}

/** Returns schemas within a schema, each with its path: `edits[].value`. */
function nestedIn(schema: JsonSchema, path: string): [JsonSchema, string][] {
  const within = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const named = ['properties', '$defs', 'definitions'].flatMap((keyword) =>
    isSchema(schema[keyword]) ? Object.entries(schema[keyword]) : [],
  )
  const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((keyword) => {
    const list = schema[keyword]
    return Array.isArray(list) ? list : []
  })
  const places: [unknown, string][] = [
    ...named.map(([name, nested]): [unknown, string] => [nested, within(name)]),
    [schema['items'], `${path}[]`],
    ...choices.map((choice): [unknown, string] => [choice, path]),
  ]
  return places.flatMap(([nested, at]) => (isSchema(nested) ? [[nested, at]] : []))
}

/** An object that endpoints which enforce schemas would reject. */
export interface LooseObject {
  /** Its path, as in `edits[].value`; empty for the whole. */
  readonly path: string
  /** Whether it may have other properties than those named. */
  readonly isOpen: boolean
  /** Properties that may be left out. */
  readonly optional: readonly string[]
}

/** Returns objects, in the schema and nested ones, that may have more or fewer properties than they name. */
export function findLooseObjects(schema: JsonSchema, path = ''): LooseObject[] {
  const { type, properties, required, additionalProperties } = schema
  const isObject =
    type === 'object' || (Array.isArray(type) && type.includes('object')) || isSchema(properties)
  const named: readonly unknown[] = Array.isArray(required) ? required : []
  const optional = Object.keys(isSchema(properties) ? properties : {}).filter((name) => !named.includes(name))
  const isOpen = additionalProperties !== false
  const own = isObject && (isOpen || optional.length > 0) ? [{ path, isOpen, optional }] : []
  return [...own, ...nestedIn(schema, path).flatMap(([nested, at]) => findLooseObjects(nested, at))]
}

/** Keywords whose value may be anything. */
const mayBeNull: ReadonlySet<string> = new Set(['const', 'default'])

/**
 * Returns keywords without a value, in the schema and nested ones: `{ description: Read, then write. }` has a
 * key `then write.`.
 */
export function findEmptyKeywords(schema: JsonSchema): string[] {
  const { properties, items } = schema
  const nested = [...(isSchema(properties) ? Object.values(properties) : []), items].filter(isSchema)
  return [
    ...Object.keys(schema).filter((key) => schema[key] === null && !mayBeNull.has(key)),
    ...nested.flatMap(findEmptyKeywords),
  ]
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
