import type { Dialect } from '../../enums/dialect.js'
import type { SqlTranslator, TranslateOutcome } from '../parser-interface.js'
import { readThroughCache } from '../persistent-parse-cache.js'
import { asNode, queryTags } from '../shape/ast.js'
import { mayNegateLikes, parenthesizeNegatedLikes } from './negated-likes.js'
import { translateOutcomeCodec } from './outcome-codecs.js'
import {
  catchParserErrors,
  lazyLibrary,
  libraryDialect,
  notAQueryMessage,
  type Polyglot,
  type PolyglotDialect,
  readableParserError,
  tokenize,
} from './polyglot-library.js'
import { addParentheses, mayNeedParentheses } from './precedence-parentheses.js'
import { sizeLimitMessage } from './size-limits.js'

/**
 * The translator over @polyglot-sql/sdk, of whose WebAssembly the build leaves what reads and writes. It is loaded by the first
 * text that the cache in use does not know.
 */
export function createTranslator(): SqlTranslator {
  const library = lazyLibrary('translator')
  return {
    translate: (sql, from, to) =>
      catchParserErrors(
        (message): TranslateOutcome => ({ kind: 'failed', message }),
        () =>
          readThroughCache(translateOutcomeCodec, ['translate', from, to], sql, () =>
            translate(library(), sql, from, libraryDialect(library(), to)),
          ),
      ),
  }
}

function translate(
  library: Polyglot,
  written: string,
  dialect: Dialect,
  to: PolyglotDialect,
): TranslateOutcome {
  const tooMuch = sizeLimitMessage(written, () => tokenize(library, written, dialect))
  if (tooMuch !== undefined) return { kind: 'failed', message: tooMuch }
  const sql = mayNegateLikes(written) ? withParenthesizedLikes(library, written, dialect) : written
  const from = libraryDialect(library, dialect)
  const parsed = library.parse(sql, from)
  if (!parsed.success) return { kind: 'failed', message: readableParserError(parsed.error) }
  const [tree, second] = parsed.ast
  if (second !== undefined || !queryTags.has(asNode(tree)?.tag ?? ''))
    return { kind: 'failed', message: notAQueryMessage(sql) }
  const text = mayNeedParentheses(sql) ? withParentheses(library, sql, tree, dialect) : sql
  const result = library.transpile(text, from, to, { unsupportedLevel: 'raise' })
  const [translated, another] = result.sql ?? []
  if (!result.success || translated === undefined || another !== undefined) {
    return { kind: 'failed', message: result.error ?? 'The query has no single translation' }
  }
  return { kind: 'sql', sql: translated }
}

/** The text with brackets where dialects group operators each in its own way. */
function withParentheses(library: Polyglot, sql: string, tree: unknown, dialect: Dialect): string {
  const changed = addParentheses(tree, dialect)
  if (changed === tree) return sql
  const [text] = library.generate([changed], libraryDialect(library, dialect)).sql ?? []
  return text ?? sql
}

function withParenthesizedLikes(library: Polyglot, sql: string, dialect: Dialect): string {
  const outcome = tokenize(library, sql, dialect)
  return outcome.kind === 'tokens' ? parenthesizeNegatedLikes(sql, outcome.tokens, dialect) : sql
}
