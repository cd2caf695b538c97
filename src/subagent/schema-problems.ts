import { z } from 'zod'
import { messageOf } from '../errors.js'
import { forbiddenKeys } from '../llm/reply-json.js'

type JsonSchema = Readonly<Record<string, unknown>>

/** What makes parameters no JSON Schema, or one that no answer fits. */
export function schemaProblems(parameters: JsonSchema): string[] {
  try {
    z.fromJSONSchema(parameters)
  } catch (error) {
    // Whatever it throws is about the schema.
    return [`\`parameters\` are no JSON Schema: ${messageOf(error)}`]
  }
  return unanswerable(parameters, '')
}

/** Properties that are required and may not be given, or that no answer may have, here and in what is nested. */
function unanswerable(schema: JsonSchema, path: string): string[] {
  const { properties, required, items, additionalProperties } = schema
  const given = isSchema(properties) ? properties : {}
  const missing =
    Array.isArray(required) && additionalProperties === false
      ? required.filter((name) => typeof name === 'string' && !Object.hasOwn(given, name))
      : []
  const forbidden = Object.keys(given).filter((name) => forbiddenKeys.has(name))
  return [
    ...forbidden.map((name) => `\`properties\` has ${path}${name}, a key for which every answer is refused`),
    ...missing.map((name) => `\`required\` names ${path}${name}, which \`properties\` do not have`),
    ...Object.entries(given).flatMap(([name, nested]) =>
      isSchema(nested) ? unanswerable(nested, `${path}${name}.`) : [],
    ),
    ...(isSchema(items) ? unanswerable(items, `${path}[].`) : []),
  ]
}

/** Keywords whose value may be any. */
const mayBeNull: ReadonlySet<string> = new Set(['const', 'default'])

/** Keywords without a value, here and in what is nested: `{ description: Read, then write. }` has a key `then write.`. */
export function emptyKeywords(schema: JsonSchema): string[] {
  const { properties, items } = schema
  const nested = [...(isSchema(properties) ? Object.values(properties) : []), items].filter(isSchema)
  return [
    ...Object.keys(schema).filter((key) => schema[key] === null && !mayBeNull.has(key)),
    ...nested.flatMap(emptyKeywords),
  ]
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
