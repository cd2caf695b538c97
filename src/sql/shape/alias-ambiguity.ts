import { apply, type Expression, type FromNode, type QueryShape, word } from './query-shape.js'
import { rewriteQuery, someInQuery } from './rewrite-query.js'

/** A name that is an output's alias, unless a table of the query has a column of that name. */
export interface AmbiguousName {
  readonly name: string
  readonly alias: Expression
  readonly column: Expression & { kind: 'column' }
}

const op = 'alias or column'

export function aliasOrColumn(alias: Expression, name: string): Expression {
  return apply(op, alias, { kind: 'column', source: undefined, name }, word(name))
}

export function ambiguousNameOf(expression: Expression): AmbiguousName | undefined {
  if (expression.kind !== 'apply' || expression.op !== op) return undefined
  const [alias, column, name] = expression.args
  return alias === undefined || column?.kind !== 'column' || name?.kind !== 'literal'
    ? undefined
    : { name: name.value, alias, column }
}

/** The names of which the query does not say whether they are columns. */
export function ambiguousNames(query: QueryShape): ReadonlySet<string> {
  const names = new Set<string>()
  someInQuery(query, (part) => {
    const readings = ambiguousNameOf(part)
    if (readings !== undefined) names.add(readings.name)
    return false
  })
  return names
}

/** Returns the query where these names are columns and all others aliases, except names that are already bound to a table. */
export function resolveAmbiguousNames(query: QueryShape, columns: ReadonlySet<string>): QueryShape {
  return rewriteQuery(query, {
    expression: (expression) => expression,
    query: (nested) => {
      if (nested.kind !== 'select') return nested
      const table = onlyTable(nested.from)
      const read = (expression: Expression): Expression => {
        const readings = ambiguousNameOf(expression)
        if (readings === undefined) return expression
        const { name, alias, column } = readings
        if (column.source !== undefined) return column
        if (!columns.has(name)) return alias
        return table === undefined ? column : { ...column, source: table.id }
      }
      return rewriteQuery(nested, { expression: read, query: (inner) => inner })
    },
  })
}

function onlyTable(from: FromNode | undefined): (FromNode & { kind: 'table' }) | undefined {
  return from?.kind === 'table' ? from : undefined
}

/** Names of the columns that expressions read, subqueries left out. */
export function columnNames(expressions: readonly Expression[]): ReadonlySet<string> {
  const names = new Set<string>()
  const collect = (expression: Expression): void => {
    if (ambiguousNameOf(expression) !== undefined) return
    if (expression.kind === 'column') names.add(expression.name)
    if (expression.kind === 'apply') expression.args.forEach(collect)
  }
  expressions.forEach(collect)
  return names
}
