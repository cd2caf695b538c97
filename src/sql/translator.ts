import type { Dialect } from '../enums/dialect.js'
import type { SqlTranslator, TranslateOutcome } from './parser-interface.js'

export type { SqlTranslator } from './parser-interface.js'

let loading: Promise<SqlTranslator> | undefined

/** The translator, one in a process. Its library is loaded by the first text that the cache in use does not know. */
export function loadSqlTranslator(): Promise<SqlTranslator> {
  loading ??= import('./parsing/polyglot-translator.js').then((module) => module.createTranslator())
  return loading
}

/** A query in another dialect, or as it is where both are one. */
export async function translateSql(sql: string, from: Dialect, to: Dialect): Promise<TranslateOutcome> {
  return from === to ? { kind: 'sql', sql } : (await loadSqlTranslator()).translate(sql, from, to)
}
