import type { Dialect } from '../../dialect.js'
import { asNode, asObject } from './ast.js'
import { type Expression, isStar } from './query-shape.js'

interface NamedOutputs {
  /** For ORDER BY, where an alias wins over a column of the same name. */
  readonly all: ReadonlyMap<string, Expression>
  /** For GROUP BY and HAVING, where a column wins over an alias of the same name. */
  readonly whereNoColumn: ReadonlyMap<string, Expression>
}

/**
 * Outputs by their names. Without a schema a name is taken to be a column where the query reads a column of
 * that name; BigQuery prefers the alias in some of these places, so there such a name is equal only to itself.
 */
export function namedOutputs(
  outputs: readonly Expression[],
  names: readonly (string | undefined)[],
  columns: ReadonlySet<string>,
  dialect: Dialect,
): NamedOutputs {
  const all = new Map<string, Expression>()
  const whereNoColumn = new Map<string, Expression>()
  outputs.forEach((output, position) => {
    const name = names[position]
    if (name === undefined || all.has(name)) return
    all.set(name, output)
    if (!columns.has(name)) whereNoColumn.set(name, output)
    else if (dialect === 'bigquery' && !isColumnNamed(output, name)) {
      whereNoColumn.set(name, { kind: 'column', source: undefined, name: `${name} (alias or column)` })
    }
  })
  return { all, whereNoColumn }
}

function isColumnNamed(output: Expression, name: string): boolean {
  return output.kind === 'column' && output.name === name
}

/** `GROUP BY 2`, `ORDER BY 2`: the second output. After `*` the position stays a number. */
export function positional(key: Expression, outputs: readonly Expression[]): Expression {
  if (key.kind !== 'literal' || key.type !== 'number') return key
  const position = Number(key.value)
  const output = Number.isInteger(position) ? outputs[position - 1] : undefined
  return output === undefined || outputs.slice(0, position).some(isStar) ? key : output
}

export function isBareColumn(value: unknown): boolean {
  const node = asNode(value)
  const table = asObject(node?.body)?.['table']
  return node?.tag === 'column' && (table === null || table === undefined)
}

/** Names of the columns that expressions read, subqueries left out. */
export function columnNames(expressions: readonly Expression[]): ReadonlySet<string> {
  const names = new Set<string>()
  const collect = (expression: Expression): void => {
    if (expression.kind === 'column') names.add(expression.name)
    if (expression.kind === 'apply') expression.args.forEach(collect)
  }
  expressions.forEach(collect)
  return names
}
