import { asIdentifier, bodyOf } from './ast.js'
import type { Expression, FromNode } from './query-shape.js'
import type { ReadContext } from './read-context.js'
import type { Scope } from './scope.js'
import { readValue } from './unmodelled-nodes.js'

/** All rows of one beside all of the other. */
export function crossJoin(left: FromNode, right: FromNode): FromNode {
  return { kind: 'join', join: 'inner', left, right, on: undefined, extras: [] }
}

/** A table function; where its columns are not named, its alias names the column. */
export function readCall(
  value: unknown,
  alias: readonly string[],
  names: readonly string[],
  scope: Scope,
  context: ReadContext,
): FromNode {
  const own = asIdentifier(bodyOf(value, 'unnest')?.['alias'])
  if (own !== undefined) return keepUnmodelled(readValue(value, scope, context), scope, context)
  const call = readValue(value, scope, context)
  const columns = positionsByName(names.length > 0 ? names : alias)
  const id = registerSource(
    scope,
    context,
    alias[0] ?? '',
    undefined,
    columns,
    names.length > 0 ? names.length : undefined,
    undefined,
  )
  return { kind: 'function', id, call, extras: [] }
}

/** Anything else in FROM is kept as written, its aliases too; names are then not bound in this SELECT. */
export function keepUnmodelled(call: Expression, scope: Scope, context: ReadContext): FromNode {
  scope.opaque = true
  return { kind: 'function', id: context.nextSource(), call, extras: [] }
}

/** Places by name; of two with one name the first. */
export function positionsByName(names: readonly (string | undefined)[]): ReadonlyMap<string, number> {
  const byName = new Map<string, number>()
  names.forEach((name, position) => {
    if (name !== undefined && !byName.has(name)) byName.set(name, position)
  })
  return byName
}

/** Makes a table known in the scope; its number. */
export function registerSource(
  scope: Scope,
  context: ReadContext,
  label: string,
  fullName: string | undefined,
  columns: ReadonlyMap<string, number>,
  width: number | undefined,
  known: ReadonlySet<string> | undefined,
): number {
  const id = context.nextSource()
  scope.sources.push({ id, label, fullName, columns, width, known })
  return id
}
