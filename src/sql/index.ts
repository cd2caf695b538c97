// The public interface of this folder. Other folders import nothing else of it, and everything listed here is used by one.

// Comparison of queries by structure.
export { type CanonicalForms, canonicalForm, canonicalForms, isEqualIgnoringOrder } from './canonical-form.js'
export { areEquivalent, type CompareOptions, compareQueryPair, type DialectQuery } from './compare.js'
// Literals: written in a dialect, and those that a query compares its columns with.
export {
  type ComparedLiteral,
  type ComparedLiteralRole,
  collectComparedLiterals,
} from './comparison-literals/comparison-literals.js'
export { type LiteralValue, renderLiteral } from './literals.js'
// Parsing, translation between dialects, and the cache of what earlier runs parsed.
export { loadSqlParser, warmSqlParser } from './parser.js'
export type { SqlParser, SqlTranslator } from './parser-interface.js'
export { type ParseCache, useParseCache } from './persistent-parse-cache.js'
export { isSameSqlText } from './same-text.js'

// The shape of a parsed query, and how to search and rewrite it.
export {
  type Expression,
  type FromNode,
  firstSelect,
  isStar,
  type QueryShape,
  type SelectShape,
} from './shape/query-shape.js'
export {
  eachFrom,
  rewriteExpression,
  rewriteQuery,
  someDeep,
  someExpression,
  someInQuery,
} from './shape/rewrite-query.js'
export type { StructuralComparison } from './structural-comparison.js'
// Schemas: the tables, columns and keys that a query can refer to.
export { parseSchema, schemaFromCatalogue } from './tables/load-schema.js'
// Reading other tables under the names that a query uses.
export { replaceTables } from './tables/replace-tables.js'
export { plainName, type Schema, type TableSchema, tableOf } from './tables/table-schema.js'
// Tokens of a query or of a template with placeholders.
export type { SqlToken } from './tokens.js'
export { loadSqlTranslator, translateSql } from './translator.js'
export { sourcesIn } from './typing/query-sources.js'
export { isVolatileCall } from './volatile-functions.js'
