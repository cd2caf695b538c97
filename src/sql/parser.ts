import type { SqlParser } from './port.js'
import { remembering } from './remembering.js'

export type { SqlParser } from './port.js'

let loading: Promise<SqlParser> | undefined

/** The parser, loaded on first use (about 0.15 s and 100 MB) and once in a process. */
export function loadSqlParser(): Promise<SqlParser> {
  loading ??= import('./polyglot.js').then(async (module) => remembering(await module.loadPolyglot()))
  return loading
}
