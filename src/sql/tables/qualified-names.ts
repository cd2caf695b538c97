import type { FromNode, QueryShape } from '../shape/query-shape.js'
import { eachFrom, rewriteQuery, withChanges } from '../shape/rewrite-query.js'
import { type Schema, tableOf } from './table-schema.js'

/** Bare names for the tables of queries to different databases, by full name: schemas are called differently there. */
export function unqualifiedTableNames(queries: readonly QueryShape[]): ReadonlyMap<string, string> {
  const named = queries.map(tableNames)
  const all = new Set(named.flatMap((names) => [...names]))
  const loose = new Map<string, string>()
  for (const name of all) {
    const last = lastPart(name)
    const qualified = [...all].filter((other) => lastPart(other) === last && other !== last)
    // Where one query reads two tables of that name, names tell them apart.
    const isOne = named.every((names) => [...names].filter((other) => lastPart(other) === last).length <= 1)
    if (isOne) for (const full of qualified) loose.set(full, last)
  }
  return loose
}

/** Of tables named with and without their schema, those that a database's catalogue has as one. */
export function confirmedBySchema(
  names: ReadonlyMap<string, string>,
  schema: Schema | undefined,
): ReadonlyMap<string, string> {
  if (schema === undefined) return new Map()
  const isOne = ([short, long]: readonly [string, string]): boolean =>
    tableOf(schema, short) !== undefined && tableOf(schema, short) === tableOf(schema, long)
  return new Map([...names].filter(isOne))
}

/** Of tables named with and without their schema, those of which the catalogue does not say what they are. */
export function unconfirmedBySchema(
  names: ReadonlyMap<string, string>,
  schema: Schema | undefined,
): ReadonlyMap<string, string> {
  const isOpen = ([short, long]: readonly [string, string]): boolean =>
    schema === undefined || tableOf(schema, short) === undefined || tableOf(schema, long) === undefined
  return new Map([...names].filter(isOpen))
}

/**
 * Tables that one query names with their schema and the other without, by the shorter name: they are the same
 * where the schema is the session's own. None where that name may mean several, or a query reads both.
 */
export function matchQualifiedTables(queries: readonly QueryShape[]): ReadonlyMap<string, string> {
  const named = queries.map(tableNames)
  const all = [...new Set(named.flatMap((names) => [...names]))]
  const same = new Map<string, string>()
  for (const short of all) {
    const [long, another] = all.filter((other) => other.endsWith(`.${short}`))
    const isOne = named.every((names) => !(names.has(short) && names.has(long ?? '')))
    const isOpen = all.some((other) => short.endsWith(`.${other}`))
    if (long !== undefined && another === undefined && isOne && !isOpen) same.set(short, long)
  }
  return same
}

export function renameTables(query: QueryShape, names: ReadonlyMap<string, string>): QueryShape {
  if (names.size === 0) return query
  const renamed = (node: FromNode): FromNode => {
    if (node.kind === 'table') return withChanges(node, { name: names.get(node.name) ?? node.name })
    return node.kind === 'join'
      ? withChanges(node, { left: renamed(node.left), right: renamed(node.right) })
      : node
  }
  return rewriteQuery(query, {
    expression: (expression) => expression,
    query: (nested) =>
      nested.kind === 'select' && nested.from !== undefined
        ? withChanges(nested, { from: renamed(nested.from) })
        : nested,
  })
}

function tableNames(query: QueryShape): ReadonlySet<string> {
  const names = new Set<string>()
  const visit = (node: FromNode): void => {
    if (node.kind === 'table') names.add(node.name)
    if (node.kind === 'join') [node.left, node.right].forEach(visit)
  }
  eachFrom(query, visit)
  return names
}

/** Whether a name has catalogue and schema: programs write names out like this, people choose a schema. */
export function isFullyQualified(table: string): boolean {
  return /^(?:(?:"(?:[^"]|"")*"|[^".]+)\.){2}/u.test(table)
}

/** Whether one session can name all these tables shorter: it has one catalogue and one schema of its own. */
export function isOneSession(names: ReadonlyMap<string, string>): boolean {
  const left = [...names].map(([short, long]) => long.slice(0, -short.length))
  const [catalogues, schemas] = [new Set<string>(), new Set<string>()]
  for (const prefix of left) {
    const schema = isFullyQualified(prefix) ? lastPart(prefix.slice(0, -1)) : undefined
    if (schema !== undefined) schemas.add(schema)
    catalogues.add(schema === undefined ? prefix : prefix.slice(0, -schema.length - 1))
  }
  return catalogues.size <= 1 && schemas.size <= 1
}

function lastPart(table: string): string {
  return /(?:^|\.)("(?:[^"]|"")*"|[^".]*)$/u.exec(table)?.[1] ?? table
}
