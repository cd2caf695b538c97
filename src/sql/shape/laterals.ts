import {
  type AstObject,
  asIdentifier,
  asIdentifiers,
  asList,
  asNode,
  asObject,
  asText,
  semanticEntries,
} from './ast.js'
import { crossJoin, keepUnmodelled, readCall } from './from-nodes.js'
import { foldColumn, foldName } from './identifier-folding.js'
import { type FromNode, word } from './query-shape.js'
import type { ReadContext } from './read-context.js'
import type { Scope } from './scope.js'
import { readValue } from './unmodelled-nodes.js'

const viewParts: ReadonlySet<string> = new Set(['this', 'table_alias', 'column_aliases', 'outer'])

/** `LATERAL VIEW explode(a) t AS c`: a table function that reads the tables before it. */
export function withLateralViews(
  from: FromNode | undefined,
  views: unknown,
  scope: Scope,
  context: ReadContext,
): FromNode | undefined {
  return asList(views).reduce<FromNode | undefined>((before, view) => {
    const node = readView(asObject(view) ?? {}, scope, context)
    return before === undefined ? node : crossJoin(before, node)
  }, from)
}

function readView(view: AstObject, scope: Scope, context: ReadContext): FromNode {
  if (semanticEntries(view, viewParts).length > 0)
    return keepUnmodelled(readValue(view, scope, context), scope, context)
  const alias = asIdentifier(view['table_alias'])
  const names = asIdentifiers(view['column_aliases']).map((name) => foldColumn(name, context.dialect))
  const label = alias === undefined ? '' : foldName(alias, context.dialect)
  const node = readCall(view['this'], [label], names, scope, context)
  return view['outer'] === true ? { ...node, extras: [...node.extras, word('outer')] } : node
}

const lateralParts: ReadonlySet<string> = new Set([
  'this',
  'alias',
  'alias_quoted',
  'column_aliases',
  'ordinality',
])

/** `LATERAL f(t.x) AS y`: functions in FROM see the tables before them without the word, too. */
export function readLateral(value: unknown, body: AstObject, scope: Scope, context: ReadContext): FromNode {
  const tag = asNode(body['this'])?.tag
  const columns = asList(body['column_aliases']).map((name) => asText(name) ?? '')
  // Whether a name was quoted is not told.
  const isPlain =
    semanticEntries(body, lateralParts).length === 0 &&
    columns.every((name) => /^[a-z_][a-z0-9_]*$/u.test(name))
  if (!isPlain || (tag !== 'function' && tag !== 'unnest'))
    return keepUnmodelled(readValue(value, scope, context), scope, context)
  const alias = asText(body['alias'])
  const quoted = body['alias_quoted'] === true
  const label = alias === undefined ? [] : [foldName({ name: alias, quoted }, context.dialect)]
  return readCall(body['this'], label, columns, scope, context)
}
