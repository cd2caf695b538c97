/**
 * The edge to the parser library: its tree is read as unknown data here and nowhere else. A node is an object
 * with one key, its tag, as in `{select: {...}}`.
 */

export type AstObject = { readonly [key: string]: unknown }

export interface AstNode {
  readonly tag: string
  readonly body: unknown
}

export interface AstIdentifier {
  readonly name: string
  readonly quoted: boolean
}

/** Tags of the nodes that are queries. */
export const queryTags: ReadonlySet<string> = new Set([
  'select',
  'union',
  'intersect',
  'except',
  'subquery',
  'values',
])

export function asObject(value: unknown): AstObject | undefined {
  return isObject(value) ? value : undefined
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The node that a value is; one that only carries comments stands for what is in it. */
export function asNode(value: unknown): AstNode | undefined {
  if (!isObject(value)) return undefined
  let tag: string | undefined
  for (const key in value) {
    if (tag !== undefined) return undefined
    tag = key
  }
  if (tag === undefined) return undefined
  const body = value[tag]
  return tag === 'annotated' && isObject(body) ? asNode(body['this']) : { tag, body }
}

/** The body of a node with this tag, if the value is one. */
export function bodyOf(value: unknown, tag: string): AstObject | undefined {
  const node = asNode(value)
  return node?.tag === tag ? asObject(node.body) : undefined
}

export function asIdentifier(value: unknown): AstIdentifier | undefined {
  const name = asObject(value)?.['name']
  return typeof name === 'string' ? { name, quoted: asObject(value)?.['quoted'] === true } : undefined
}

/** The names of a list of identifiers; anything else in it is left out. */
export function asIdentifiers(value: unknown): readonly AstIdentifier[] {
  return asList(value).flatMap((item) => asIdentifier(item) ?? [])
}

/** How something was written, not what it means. */
const syntaxOnlyKeys: ReadonlySet<string> = new Set([
  'span',
  'comments',
  'trailing_comments',
  'leading_comments',
  'pre_alias_comments',
  'post_select_comments',
  'left_comments',
  'operator_comments',
  'inferred_type',
  'alias_explicit_as',
  'alias_keyword',
  'alias_first',
  'double_colon_syntax',
  'integer_spelling',
  'from_for_syntax',
  'postfix_form',
  'explicit_asc',
  'use_inner_keyword',
  'use_outer_keyword',
  'nesting_group',
  'no_parens',
  'kind_text',
  'start_side_text',
  'end_side_text',
  'modifiers_inside',
])

/** Flags with three states: written true, written false, not written. */
const threeState: ReadonlySet<string> = new Set([
  'nulls_first',
  'ignore_nulls',
  'symmetric',
  'include_nulls',
  'safe',
  'nullable',
  'from_first',
  'is_integer',
  'with_tz',
])

const nothing: ReadonlySet<string> = new Set()

/** The parts of a node that mean something: neither spelling nor a default. */
export function semanticEntries(body: AstObject, known: ReadonlySet<string> = nothing): [string, unknown][] {
  const parts: [string, unknown][] = []
  for (const key in body) {
    const value = body[key]
    if (value !== null && !isDefault(key, value) && !known.has(key) && !syntaxOnlyKeys.has(key))
      parts.push([key, value])
  }
  return parts.length < 2 ? parts : parts.sort(([a], [b]) => (a < b ? -1 : 1))
}

function isDefault(key: string, value: unknown): boolean {
  if (value === null || value === undefined) return true
  if (value === false) return !threeState.has(key)
  return Array.isArray(value) && value.length === 0
}

function isObject(value: unknown): value is AstObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
