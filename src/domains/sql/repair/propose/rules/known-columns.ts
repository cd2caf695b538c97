import { type SqlToken, tableOf } from '../../../../../sql/index.js'
import { foldedName } from '../../model/token-ranges.js'
import type { KnownColumns } from './query-scope.js'
import type { Alignment } from './snippet-alignment.js'
import { sqlKeywords } from './term-reader.js'

/** Returns what the schema says about the expected query's tables; undefined if it has none of them. */
export function knownColumns({ schema, expected }: Alignment): KnownColumns | undefined {
  if (schema === undefined) return undefined
  const tables = new Map<string, ReadonlySet<string> | undefined>()
  const columnsOf = (table: string): ReadonlySet<string> | undefined => {
    const found = tableOf(schema, table)
    return found && new Set(found.columns.keys())
  }
  return {
    of(table) {
      if (!tables.has(table)) tables.set(table, columnsOf(table))
      return tables.get(table)
    },
    declaredNames: givenNames(expected.tokens),
  }
}

/** Returns names after AS, or directly after an operand: of outputs, tables and windows. */
function givenNames(tokens: readonly SqlToken[]): ReadonlySet<string> {
  return new Set(
    tokens.flatMap((token, index) => {
      const before = tokens[index - 1]
      const isName = token.kind === 'quoted' || (token.kind === 'word' && !sqlKeywords.has(token.value))
      return isName && before !== undefined && endsOperand(before) ? [foldedName(token)] : []
    }),
  )
}

function endsOperand({ kind, text, value }: SqlToken): boolean {
  if (kind === 'symbol') return text === ')' || text === ']'
  return kind !== 'word' || value === 'AS' || value === 'END' || !sqlKeywords.has(value)
}
