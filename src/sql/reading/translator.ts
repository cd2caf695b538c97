import type { Dialect } from '../../enums/dialect.js'
import { throughCache } from '../parse-cache.js'
import type { SqlTranslator, TranslateOutcome } from '../port.js'
import { asNode, queryTags } from '../shape/ast.js'
import { mayNeedBrackets, withBrackets } from './bracketed.js'
import { translateOutcomes } from './cached-outcomes.js'
import { excess } from './extent.js'
import {
  dialectIn,
  guarded,
  libraryOnDemand,
  notAQuery,
  type Polyglot,
  type PolyglotDialect,
  parserError,
  tokenize,
} from './library.js'
import { bracketNegatedLikes, mayNegateLikes } from './negated-likes.js'

/**
 * The translator over @polyglot-sql/sdk, of whose WebAssembly the build leaves what reads and writes. It is loaded by the first
 * text that the cache in use does not know.
 */
export function createTranslator(): SqlTranslator {
  const library = libraryOnDemand('translator')
  return {
    translate: (sql, from, to) =>
      guarded(
        (message): TranslateOutcome => ({ kind: 'failed', message }),
        () =>
          throughCache(translateOutcomes, ['translate', from, to], sql, () =>
            translate(library(), sql, from, dialectIn(library(), to)),
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
  const tooMuch = excess(written, () => tokenize(library, written, dialect))
  if (tooMuch !== undefined) return { kind: 'failed', message: tooMuch }
  const sql = mayNegateLikes(written) ? withLikesBracketed(library, written, dialect) : written
  const from = dialectIn(library, dialect)
  const parsed = library.parse(sql, from)
  if (!parsed.success) return { kind: 'failed', message: parserError(parsed.error) }
  const [tree, second] = parsed.ast
  if (second !== undefined || !queryTags.has(asNode(tree)?.tag ?? ''))
    return { kind: 'failed', message: notAQuery(sql) }
  const text = mayNeedBrackets(sql) ? bracketed(library, sql, tree, dialect) : sql
  const result = library.transpile(text, from, to, { unsupportedLevel: 'raise' })
  const [translated, another] = result.sql ?? []
  if (!result.success || translated === undefined || another !== undefined) {
    return { kind: 'failed', message: result.error ?? 'The query has no single translation' }
  }
  return { kind: 'sql', sql: translated }
}

/** The text with brackets where dialects group operators each in its own way. */
function bracketed(library: Polyglot, sql: string, tree: unknown, dialect: Dialect): string {
  const changed = withBrackets(tree, dialect)
  if (changed === tree) return sql
  const [text] = library.generate([changed], dialectIn(library, dialect)).sql ?? []
  return text ?? sql
}

function withLikesBracketed(library: Polyglot, sql: string, dialect: Dialect): string {
  const outcome = tokenize(library, sql, dialect)
  return outcome.kind === 'tokens' ? bracketNegatedLikes(sql, outcome.tokens, dialect) : sql
}
