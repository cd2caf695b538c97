import type { Dialect } from '../../enums/dialect.js'
import type { ParseOutcome, SqlParser, TablesOutcome } from '../parser-interface.js'
import { readThroughCache } from '../persistent-parse-cache.js'
import { asNode, queryTags } from '../shape/ast.js'
import { readCreateTable } from '../shape/create-table.js'
import { readQueryTree } from '../shape/query.js'
import type { QueryShape } from '../shape/query-shape.js'
import { rewriteQuery } from '../shape/rewrite-query.js'
import { unknownColumns } from '../shape/unknown-columns.js'
import type { Schema } from '../tables/table-schema.js'
import type { TokenizeOutcome } from '../tokens.js'
import { blankHashComments } from './hash-comments.js'
import { findLostSyntax } from './lost-syntax.js'
import { mayNegateLikes, parenthesizeNegatedLikes } from './negated-likes.js'
import { parseOutcomeCodec, schemaDigest, tokenizeOutcomeCodec } from './outcome-codecs.js'
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
import { sizeLimitMessage } from './size-limits.js'
import { mayStackPivots, parenthesizeStackedPivots } from './stacked-pivots.js'
import { mayMisreadEscapes, rewriteEscapes } from './string-escapes.js'
import { markSubqueryOperands, mayEndInSubquery } from './subquery-operands.js'
import { mayHaveDecimalLiterals, rewriteDecimalLiterals, rewriteIntegerDivision } from './syntax-rewrites.js'
import { respellUnreadSyntax } from './unread-syntax.js'

/**
 * The parser over @polyglot-sql/sdk, of whose WebAssembly the build leaves what reads. It is loaded by the first text that
 * the cache in use does not know.
 */
export function createPolyglotParser(): SqlParser {
  const library = lazyLibrary('parser')
  return {
    parse: (sql, dialect, schema) =>
      catchParserErrors(
        (message) => unparsable(message),
        () =>
          readThroughCache(parseOutcomeCodec, ['parse', dialect, schemaDigest(schema)], sql, () =>
            parse(library(), sql, dialect, libraryDialect(library(), dialect), schema),
          ),
      ),
    parseTables: (ddl, dialect) =>
      catchParserErrors(
        (message): TablesOutcome => ({ kind: 'failed', message }),
        () => parseTables(library(), ddl, libraryDialect(library(), dialect)),
      ),
    tokenize: (sql, dialect) =>
      catchParserErrors(
        (message): TokenizeOutcome => ({ kind: 'failed', message }),
        () =>
          readThroughCache(tokenizeOutcomeCodec, ['tokenize', dialect], sql, () =>
            tokenize(library(), sql, dialect),
          ),
      ),
  }
}

function unparsable(message: string, line?: number, column?: number): ParseOutcome {
  return { kind: 'unparsable', message, line, column }
}

function parseTables(library: Polyglot, ddl: string, name: PolyglotDialect): TablesOutcome {
  const result = library.parse(ddl, name)
  if (!result.success) return { kind: 'failed', message: result.error }
  return { kind: 'tables', tables: result.ast.flatMap((statement) => readCreateTable(statement) ?? []) }
}

function parse(
  library: Polyglot,
  asWritten: string,
  dialect: Dialect,
  name: PolyglotDialect,
  schema: Schema | undefined,
): ParseOutcome {
  const sql = blankHashComments(asWritten, dialect)
  if (/^\s*(?:```|~~~)/u.test(sql)) return unparsable('A fenced code block, not a query: remove the fence')
  const tooMuch = sizeLimitMessage(sql, () => tokenize(library, sql, dialect))
  if (tooMuch !== undefined) return unparsable(tooMuch)
  const text = rewriteMisreadSyntax(library, sql, dialect)
  const written = library.parse(text, name)
  const result = written.success ? written : parseWithFallback(library, text, dialect, name, written)
  if (!result.success) {
    const error = readableParserError(result.error)
    const message = startsLikeQuery(sql) ? error : `${notAQueryMessage(sql)}. ${error}`
    return unparsable(message, result.errorLine, result.errorColumn)
  }
  const [tree, second] = result.ast
  if (tree === undefined) return unparsable('The text contains no query')
  if (second !== undefined) return unparsable(`${result.ast.length} statements instead of one query`)
  if (!queryTags.has(asNode(tree)?.tag ?? '')) return unparsable(notAQueryMessage(sql))
  const read = readQueryTree(tree, text, dialect, schema)
  if (read.kind === 'refused') return unparsable(read.reason)
  const isOneLength = dialect === 'mysql' && countsCharactersOnly(sql)
  const shape = isOneLength ? renameCalls(read.shape, 'length', 'char_length') : read.shape
  const spellings = isOneLength
    ? []
    : findLostSyntax(sql, dialect, shape, () => tokenize(library, sql, dialect))
  const lost = [...spellings, ...unknownColumns(shape, schema)]
  return {
    kind: 'query',
    shape: lost.length === 0 ? shape : { ...shape, extras: [...shape.extras, ...lost] },
  }
}

/** The text in a spelling that the library reads, where there is one. */
function parseWithFallback(
  library: Polyglot,
  sql: string,
  dialect: Dialect,
  name: PolyglotDialect,
  failed: ReturnType<Polyglot['parse']>,
): ReturnType<Polyglot['parse']> {
  if (mayStackPivots(sql)) {
    const outcome = tokenize(library, sql, dialect)
    const text = outcome.kind === 'tokens' ? parenthesizeStackedPivots(sql, outcome.tokens) : sql
    return text === sql ? failed : library.parse(text, name)
  }
  if (dialect === 'ansi') {
    const text = quoteDollarNames(sql)
    return text === sql ? failed : library.parse(text, name)
  }
  const outcome = tokenize(library, sql, dialect)
  const text = outcome.kind === 'tokens' ? respellUnreadSyntax(sql, outcome.tokens, dialect) : sql
  if (text === sql) return failed
  const respelled = library.parse(text, name)
  return respelled.success ? respelled : failed
}

/** Names such as `$f0`, which planners write without quotes, in quotes; a text that has texts with `$` stays as it is. */
function quoteDollarNames(sql: string): string {
  return /'[^']*\$[^']*'|"[^"]*\$/u.test(sql) ? sql : sql.replace(/(?<=[\s.(,])\$[a-z]\w*/giu, '"$&"')
}

/** Whether the text spells char_length() and never length(), so that the tree's length is the former. */
function countsCharactersOnly(sql: string): boolean {
  return /\bchar(?:acter)?_length\s*\(/iu.test(sql) && !/\blength\s*\(/iu.test(sql)
}

function renameCalls(query: QueryShape, from: string, to: string): QueryShape {
  return rewriteQuery(query, {
    query: (nested) => nested,
    expression: (part) => (part.kind === 'apply' && part.op === from ? { ...part, op: to } : part),
  })
}

/**
 * Returns the text in syntax that the library does not misread; unchanged where it cannot be tokenized: the library then
 * reports the error.
 */
function rewriteMisreadSyntax(library: Polyglot, sql: string, dialect: Dialect): string {
  const changes = [
    ...(mayMisreadEscapes(sql, dialect) ? [rewriteEscapes] : []),
    ...(mayHaveDecimalLiterals(sql) ? [rewriteDecimalLiterals] : []),
    ...(dialect === 'duckdb' && sql.includes('//') ? [rewriteIntegerDivision] : []),
    ...(mayEndInSubquery(sql) ? [markSubqueryOperands] : []),
    ...(mayNegateLikes(sql) ? [parenthesizeNegatedLikes] : []),
  ]
  return changes.reduce((text, change) => {
    const outcome = tokenize(library, text, dialect)
    return outcome.kind === 'tokens' ? change(text, outcome.tokens, dialect) : text
  }, sql)
}

function startsLikeQuery(sql: string): boolean {
  const start = sql.replace(/^(?:\s|\(|--[^\n]*\n|\/\*[\s\S]*?\*\/)+/u, '')
  return /^(?:select|with|values|from)\b/iu.test(start)
}
