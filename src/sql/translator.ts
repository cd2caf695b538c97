import type { Dialect } from '../dialect.js'
import type { SqlTranslator, TranslateOutcome } from './port.js'

export type { SqlTranslator } from './port.js'

let loading: Promise<SqlTranslator> | undefined

/** The translator, loaded on first use and once in a process. */
export function loadSqlTranslator(): Promise<SqlTranslator> {
  loading ??= import('./reading/translator.js').then((module) => module.loadTranslator())
  return loading
}

/** A query in another dialect, or as it is where both are one. */
export async function translateSql(sql: string, from: Dialect, to: Dialect): Promise<TranslateOutcome> {
  return from === to ? { kind: 'sql', sql } : (await loadSqlTranslator()).translate(sql, from, to)
}
