import type { Dialect } from '../../enums/dialect.js'
import { certainlyAggregates, isAggregateCall, isScalar, isStable } from '../relational/known-functions.js'
import { aliasOrColumn, ambiguousNameOf, columnNames } from './alias-ambiguity.js'
import type { Expression } from './query-shape.js'
import { mapAll } from './rewrite-query.js'
import { cannotBeColumn, mayHaveColumn, type Scope } from './scope.js'

/** Outputs by the names that clauses may give them; where a column of the name is meant, there is no entry. */
interface NamedOutputs {
  /** For an ORDER BY that is just a name: an alias wins over a column. */
  readonly all: ReadonlyMap<string, Expression>
  /** For GROUP BY, QUALIFY and expressions in ORDER BY: a column wins over an alias. */
  readonly whereNoColumn: ReadonlyMap<string, Expression>
  /** For expressions over groups with these keys: strict dialects let them read no column but the keys. */
  inGroups(keys: readonly Expression[]): ReadonlyMap<string, Expression>
  /** A condition on groups with the aliases that it can only mean: what is not summed up is no column. */
  overGroups(condition: Expression, keys: readonly Expression[]): Expression
}

/**
 * Outputs by their names. A name is a column where the query reads a column of that name, or a schema says so; where
 * it is not known, it is both. BigQuery prefers the alias in some places, so there such a name is equal only to itself.
 */
export function namedOutputs(
  outputs: readonly Expression[],
  names: readonly (string | undefined)[],
  where: Expression | undefined,
  scope: Scope,
  dialect: Dialect,
): NamedOutputs {
  const read = columnNames([...outputs, ...(where ? [where] : [])])
  const all = new Map<string, Expression>()
  const whereNoColumn = new Map<string, Expression>()
  outputs.forEach((output, position) => {
    const name = names[position]
    if (name === undefined || all.has(name)) return
    all.set(name, output)
    const has = read.has(name) || mayHaveColumn(scope, name)
    if (has === true) {
      if (dialect === 'bigquery' && !isColumnNamed(output, name)) whereNoColumn.set(name, opaqueColumn(name))
    } else whereNoColumn.set(name, has === false ? output : aliasOrColumn(output, name))
  })
  const inGroups = (keys: readonly Expression[]): ReadonlyMap<string, Expression> => {
    if (dialect === 'sqlite') return whereNoColumn
    const grouped = columnNames(keys)
    const isAlias = (name: string): boolean => !grouped.has(name) && !read.has(name)
    return new Map([...all].filter(([name]) => isAlias(name)))
  }
  const overGroups = (condition: Expression, keys: readonly Expression[]): Expression => {
    if (dialect === 'sqlite') return condition
    const grouped = columnNames(keys)
    const change = (part: Expression): Expression => {
      if (part.kind === 'column') return grouped.has(part.name) ? part : (all.get(part.name) ?? part)
      if (part.kind !== 'apply' || isAggregateCall(part)) return part
      return { ...part, args: mapAll(part.args, change) }
    }
    return change(condition)
  }
  return { all, whereNoColumn, inGroups, overGroups }
}

/** Dialects in which WHERE may name the alias of an output; `ansi` stands for any of them. */
const whereNamesAliases: ReadonlySet<Dialect> = new Set(['ansi', 'sqlite', 'duckdb', 'snowflake'])

/** Dialects in which an output may name an alias to its left; `ansi` stands for any of them. */
const outputsNameAliases: ReadonlySet<Dialect> = new Set([
  ...(['ansi', 'duckdb', 'snowflake', 'redshift', 'spark'] as const),
])

/** Adds an output to the aliases that outputs to its right may use, except where a column has the name. */
export function withLateralAlias(
  aliases: ReadonlyMap<string, Expression>,
  output: Expression,
  name: string | undefined,
  scope: Scope,
  dialect: Dialect,
): ReadonlyMap<string, Expression> {
  if (name === undefined || aliases.has(name) || !outputsNameAliases.has(dialect)) return aliases
  const has = mayHaveColumn(scope, name)
  if (has === true || !isStable(output) || columnNames([output]).has(name)) return aliases
  return new Map(aliases).set(name, has === false ? output : aliasOrColumn(output, name))
}

/** Returns the aliases that WHERE may use: those of outputs of single rows that are certainly no columns, here or outside. */
export function aliasesInWhere(
  outputs: readonly Expression[],
  names: readonly (string | undefined)[],
  scope: Scope,
  dialect: Dialect,
): ReadonlyMap<string, Expression> {
  const aliases = new Map<string, Expression>()
  if (!whereNamesAliases.has(dialect)) return aliases
  // Once for all of them: queries have ten thousand columns.
  const read = columnNames(outputs)
  outputs.forEach((output, position) => {
    const name = names[position]
    const has = mayHaveColumn(scope, name ?? '')
    if (name === undefined || aliases.has(name) || has === true) return
    if (!isScalar(output) || !isStable(output)) return
    if (has === false && cannotBeColumn(scope.parent, name)) aliases.set(name, output)
    if (has === undefined && dialect !== 'sqlite' && !read.has(name))
      aliases.set(name, aliasOrColumn(output, name))
  })
  return aliases
}

function opaqueColumn(name: string): Expression {
  return { kind: 'column', source: undefined, name: `${name} (alias or column)` }
}

function isColumnNamed(output: Expression, name: string): boolean {
  return output.kind === 'column' && output.name === name
}

/**
 * Group keys, of which those are outputs that cannot be columns: where all outputs must be determined by the groups, as
 * everywhere but in SQLite, `SELECT a AS b … GROUP BY b` is refused where b is a column.
 */
export function resolveGroupKeys(keys: readonly Expression[], dialect: Dialect): readonly Expression[] {
  if (dialect === 'sqlite') return keys
  return keys.map((key) => {
    const readings = ambiguousNameOf(key)
    if (readings === undefined || certainlyAggregates(readings.alias)) return key
    const others = columnNames(keys.filter((other) => other !== key && ambiguousNameOf(other) === undefined))
    const isUngrouped = [...columnNames([readings.alias])].some((name) => !others.has(name))
    return isUngrouped ? readings.alias : key
  })
}
