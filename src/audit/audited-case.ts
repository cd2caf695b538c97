import type { SqlCase } from '../benchmark/case.js'
import type { CopyComparer } from '../compare/copies/compare-on-copies.js'
import { mayHaveOrderBy, queryOrder, unordered } from '../compare/order/query-order.js'
import type { RowOrder } from '../compare/outcomes/query-outcomes.js'
import type { RunAndCompareInput } from '../compare/outcomes/run-and-compare.js'
import type { ScoringDefaults } from '../compare/score-sql.js'
import type { Engine, QueryLimits } from '../engine/contract/engine.js'
import type { Dialect } from '../enums/dialect.js'
import type { KnowledgeBase } from '../kb/entry.js'
import type { Schema, SqlParser } from '../sql/index.js'

/** The context of an audit, besides the cases; nothing in it reads the disk. */
export interface AuditContext {
  readonly parser: SqlParser
  readonly kb: KnowledgeBase
  /** Dialect of the agent's SQL, in which snippets are written. */
  readonly agentDialect: Dialect
  readonly dialectOf: (testCase: SqlCase) => Dialect
  readonly asOf: (testCase: SqlCase) => string
  /** Returns the engine of a case; undefined if none is configured. */
  readonly engineOf: (testCase: SqlCase) => Promise<Engine | undefined>
  /** Returns the same database in another process. */
  readonly otherEngineOf: (testCase: SqlCase) => Promise<Engine | undefined>
  /** Runs pairs of queries on fuzzed copies of a database. */
  readonly copies: CopyComparer
  readonly limits: QueryLimits
  readonly defaults: ScoringDefaults
  /** Maximal number of concurrent queries. */
  readonly concurrency: number
  readonly signal: AbortSignal
}

/** A case with its database and its expected query in the database's dialect. */
export interface AuditedCase {
  readonly testCase: SqlCase
  readonly engine: Engine
  /** The same database in another process. */
  readonly other: Engine
  readonly schema: Schema
  readonly sql: string
  readonly order: RowOrder
}

/** Returns the row order that the case or its expected query requires; cached, because it takes a parse. */
export function rowOrderOf(
  { compare }: SqlCase,
  sql: string,
  { dialect }: Engine,
  { parser }: AuditContext,
): RowOrder {
  const asked = compare.order ?? 'auto'
  const found = asked === 'unordered' || !mayHaveOrderBy(sql) ? unordered : queryOrder(parser, sql, dialect)
  return asked === 'ordered' ? { ...found, order: 'ordered' } : found
}

/**
 * Returns the input with which the product compares the results of another query with those of the expected
 * one.
 */
export function comparisonInput(
  { testCase, engine, sql, order }: AuditedCase,
  generatedSql: string,
  { limits, defaults }: AuditContext,
): Omit<RunAndCompareInput, 'expectedOutcome'> {
  return {
    engine,
    limits,
    expectedSql: sql,
    generatedSql,
    same: false,
    order,
    tolerance: testCase.compare.tolerance ?? defaults.tolerance,
    columns: testCase.compare.columns,
  }
}
