import type { ColumnMap } from '../../snapshot/knowledge-source.js'
import { sqlKind } from '../entries/sql-parts.js'
import type { PairRecord } from './record.js'

/** As many records say what a column holds. */
const sampled = 200
const names = /^(?:nl|nlq|question|prompt|utterance|ask|input|text|query_text|natural_language)/i

/**
 * Returns which fields hold question and query, by what is in them: the query's is a SELECT in most records, the question's has
 * words that are no query, differs from record to record, and mostly asks. Undefined where there is no such pair.
 */
export function guessColumns(
  records: readonly PairRecord[],
  given: ColumnMap = {},
): { readonly question: string; readonly sql: string } | undefined {
  const some = records.slice(0, sampled)
  const columns = [...new Set(some.flatMap(({ fields }) => [...fields.keys()]))]
  const valuesOf = (column: string): string[] =>
    some.flatMap(({ fields }) => fields.get(column)?.value ?? []).filter((value) => value.trim() !== '')
  const shareOf = (column: string, meets: (value: string) => boolean): number => {
    const values = valuesOf(column)
    return values.length === 0 ? 0 : values.filter(meets).length / values.length
  }
  const ranked = columns
    .map((column) => ({ column, share: shareOf(column, (value) => sqlKind(value) === 'query') }))
    .filter(({ share }) => share >= 0.5)
    .toSorted((a, b) => b.share - a.share || valuesOf(b.column).length - valuesOf(a.column).length)
  const sql = given.sql ?? ranked[0]?.column
  if (sql === undefined || !columns.includes(sql)) return undefined
  const beside = some.filter(({ fields }) => fields.has(sql))
  const questions = columns
    .filter((column) => column !== sql && beside.some(({ fields }) => fields.has(column)))
    .map((column) => {
      const values = beside.flatMap(({ fields }) => fields.get(column)?.value ?? [])
      const isText = values.filter((value) => /\S\s+\S/.test(value) && sqlKind(value) !== 'query').length
      const asks = values.filter((value) => /\?\s*$/.test(value)).length
      const count = Math.max(values.length, 1)
      const score =
        isText / count + asks / count + new Set(values).size / count + (names.test(column) ? 1 : 0)
      return { column, score, isText: isText / count }
    })
    .filter(({ isText }) => isText >= 0.5)
    .toSorted((a, b) => b.score - a.score)
  const question = given.question ?? questions[0]?.column
  return question === undefined ? undefined : { question, sql }
}
