import type { SqlTranslator, TranslateOutcome } from '../port.js'
import { asNode, queryTags } from '../shape/ast.js'
import { dialectIn, guarded, loadLibrary, notAQuery, type Polyglot, type PolyglotDialect } from './library.js'

/** The translator over all of @polyglot-sql/sdk, 23 MB of WebAssembly. */
export async function loadTranslator(): Promise<SqlTranslator> {
  const library = await loadLibrary('@polyglot-sql/sdk')
  return {
    translate: (sql, from, to) =>
      guarded(
        (message) => ({ kind: 'failed', message }),
        () => translate(library, sql, dialectIn(library, from), dialectIn(library, to)),
      ),
  }
}

function translate(
  library: Polyglot,
  sql: string,
  from: PolyglotDialect,
  to: PolyglotDialect,
): TranslateOutcome {
  const parsed = library.parse(sql, from)
  if (!parsed.success) return { kind: 'failed', message: parsed.error }
  const [tree, second] = parsed.ast
  if (second !== undefined || !queryTags.has(asNode(tree)?.tag ?? ''))
    return { kind: 'failed', message: notAQuery(sql) }
  const result = library.transpile(sql, from, to, { unsupportedLevel: 'raise' })
  const [written, another] = result.sql ?? []
  if (!result.success || written === undefined || another !== undefined) {
    return { kind: 'failed', message: result.error ?? 'The query has no single translation' }
  }
  return { kind: 'sql', sql: written }
}
