import { generateMutants, type Mutant } from '../../src/audit/mutants.js'
import { readQuery } from '../../src/audit/mutate/query-text.js'
import type { Value } from '../../src/engine/contract/engine.js'
import { loadSqlParser, schemaFromCatalogue } from '../../src/sql/index.js'

const text = (...names: string[]) => names.map((name) => ({ name, type: 'VARCHAR' }))

export const schema = schemaFromCatalogue({
  tables: [
    {
      name: 'shop.orders',
      columns: [
        ...text('market', 'status', 'note'),
        { name: 'amount', type: 'DOUBLE' },
        { name: 'day', type: 'DATE' },
      ],
    },
    { name: 'shop.refunds', columns: [...text('market', 'reason'), { name: 'back', type: 'DOUBLE' }] },
  ],
})

export const parser = await loadSqlParser()

export function mutants(
  sql: string,
  values: Readonly<Record<string, readonly Value[]>> = {},
): readonly Mutant[] {
  const tokens = parser.tokenize(sql, 'duckdb')
  if (tokens.kind === 'failed') throw new Error(tokens.message)
  return generateMutants(readQuery(sql, tokens.tokens, schema), (_, column) => values[column] ?? [], 'duckdb')
    .mutants
}

export function wordsOf(
  kind: Mutant['kind'],
  sql: string,
  values?: Readonly<Record<string, readonly Value[]>>,
): string[] {
  return mutants(sql, values).flatMap((mutant) => (mutant.kind === kind ? [mutant.words] : []))
}

export function sqlOf(
  kind: Mutant['kind'],
  sql: string,
  values?: Readonly<Record<string, readonly Value[]>>,
): string[] {
  return mutants(sql, values).flatMap((mutant) => (mutant.kind === kind ? [mutant.sql] : []))
}
