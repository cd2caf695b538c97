import type { Dialect } from '../../enums/dialect.js'
import { throughCache } from '../parse-cache.js'
import type { ParseOutcome, SqlParser, TablesOutcome } from '../port.js'
import { asNode, queryTags } from '../shape/ast.js'
import { readCreateTable } from '../shape/create-table.js'
import { readQueryTree } from '../shape/query.js'
import type { QueryShape } from '../shape/query-shape.js'
import { unknownColumns } from '../shape/unknown-columns.js'
import { rewriteQuery } from '../shape/walk.js'
import type { Schema } from '../tables/tables.js'
import type { TokenizeOutcome } from '../tokens.js'
import { parseOutcomes, schemaDigest, tokenizeOutcomes } from './cached-outcomes.js'
import { mayHaveLostEscapes, writeOutEscapes } from './escapes.js'
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
import { lostSpellings } from './lost-spellings.js'
import { bracketNegatedLikes, mayNegateLikes } from './negated-likes.js'
import { mayHaveDecimalLiterals, writeOutDecimals, writeOutDivisions } from './respelling.js'
import { bracketStackedPivots, mayStackPivots } from './stacked-pivots.js'
import { markSubqueryOperands, mayEndInSubquery } from './subquery-operands.js'

/**
 * The parser over @polyglot-sql/sdk, of whose WebAssembly the build leaves what reads. It is loaded by the first text that
 * the cache in use does not know.
 */
export function createPolyglotParser(): SqlParser {
  const library = libraryOnDemand('parser')
  return {
    parse: (sql, dialect, schema) =>
      guarded(
        (message) => unparsable(message),
        () =>
          throughCache(parseOutcomes, ['parse', dialect, schemaDigest(schema)], sql, () =>
            parse(library(), sql, dialect, dialectIn(library(), dialect), schema),
          ),
      ),
    parseTables: (ddl, dialect) =>
      guarded(
        (message): TablesOutcome => ({ kind: 'failed', message }),
        () => parseTables(library(), ddl, dialectIn(library(), dialect)),
      ),
    tokenize: (sql, dialect) =>
      guarded(
        (message): TokenizeOutcome => ({ kind: 'failed', message }),
        () =>
          throughCache(tokenizeOutcomes, ['tokenize', dialect], sql, () => tokenize(library(), sql, dialect)),
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
  sql: string,
  dialect: Dialect,
  name: PolyglotDialect,
  schema: Schema | undefined,
): ParseOutcome {
  if (/^\s*(?:```|~~~)/u.test(sql))
    return unparsable('A fenced block, not a query: the fence is part of the text')
  const tooMuch = excess(sql, () => tokenize(library, sql, dialect))
  if (tooMuch !== undefined) return unparsable(tooMuch)
  const text = respelled(library, sql, dialect)
  const written = library.parse(text, name)
  const result = written.success ? written : parseOtherwise(library, text, dialect, name, written)
  if (!result.success) {
    const error = parserError(result.error)
    const message = startsLikeQuery(sql) ? error : `${notAQuery(sql)}. ${error}`
    return unparsable(message, result.errorLine, result.errorColumn)
  }
  const [tree, second] = result.ast
  if (tree === undefined) return unparsable('There is no query in the text')
  if (second !== undefined) return unparsable(`${result.ast.length} statements where one query belongs`)
  if (!queryTags.has(asNode(tree)?.tag ?? '')) return unparsable(notAQuery(sql))
  const read = readQueryTree(tree, text, dialect, schema)
  if (read.kind === 'refused') return unparsable(read.reason)
  const isOneLength = dialect === 'mysql' && countsCharactersOnly(sql)
  const shape = isOneLength ? renameCalls(read.shape, 'length', 'char_length') : read.shape
  const spellings = isOneLength
    ? []
    : lostSpellings(sql, dialect, shape, () => tokenize(library, sql, dialect))
  const lost = [...spellings, ...unknownColumns(shape, schema)]
  return {
    kind: 'query',
    shape: lost.length === 0 ? shape : { ...shape, extras: [...shape.extras, ...lost] },
  }
}

/** The text in a spelling that the library reads, where there is one. */
function parseOtherwise(
  library: Polyglot,
  sql: string,
  dialect: Dialect,
  name: PolyglotDialect,
  failed: ReturnType<Polyglot['parse']>,
): ReturnType<Polyglot['parse']> {
  if (mayStackPivots(sql)) {
    const outcome = tokenize(library, sql, dialect)
    const text = outcome.kind === 'tokens' ? bracketStackedPivots(sql, outcome.tokens) : sql
    return text === sql ? failed : library.parse(text, name)
  }
  const text = dialect === 'ansi' ? quoteDollarNames(sql) : sql
  return text === sql ? failed : library.parse(text, name)
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
 * The text in words that the library does not misread; as it is where its tokens cannot be read: the library then says
 * what is wrong with it.
 */
function respelled(library: Polyglot, sql: string, dialect: Dialect): string {
  const changes = [
    ...(mayHaveLostEscapes(sql, dialect) ? [writeOutEscapes] : []),
    ...(mayHaveDecimalLiterals(sql) ? [writeOutDecimals] : []),
    ...(dialect === 'duckdb' && sql.includes('//') ? [writeOutDivisions] : []),
    ...(mayEndInSubquery(sql) ? [markSubqueryOperands] : []),
    ...(mayNegateLikes(sql) ? [bracketNegatedLikes] : []),
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
