import type { SqlCase } from '../benchmark/case.js'
import { mayOrder, queryOrder, unordered } from '../compare/query-order.js'
import type { RunBothInput } from '../compare/run-both.js'
import type { ScoringDefaults } from '../compare/score-sql.js'
import type { Dialect } from '../dialect.js'
import type { Engine, QueryLimits } from '../engine/engine.js'
import type { KnowledgeBase } from '../kb/entry.js'
import type { SqlParser } from '../sql/parser.js'
import type { Schema } from '../sql/schema.js'

/** What an audit is given beside the cases; nothing in it reads the disk. */
export interface AuditContext {
  readonly parser: SqlParser
  readonly kb: KnowledgeBase
  /** Dialect of the agent's SQL, which snippets are written in. */
  readonly agentDialect: Dialect
  readonly dialectOf: (testCase: SqlCase) => Dialect
  readonly asOf: (testCase: SqlCase) => string
  /** The engine of a case; undefined where none is configured. */
  readonly engineOf: (testCase: SqlCase) => Promise<Engine | undefined>
  /** The same database in another process, which nothing has been asked before. */
  readonly freshEngineOf: (testCase: SqlCase) => Promise<Engine | undefined>
  readonly limits: QueryLimits
  readonly defaults: ScoringDefaults
  /** Queries under way at once. */
  readonly concurrency: number
  readonly signal: AbortSignal
}

/** A case with its database and its expected query in the database's dialect. */
export interface Subject {
  readonly testCase: SqlCase
  readonly engine: Engine
  readonly schema: Schema
  readonly sql: string
}

/** How the product compares what another query gives with what the expected one gives. */
export function comparison(
  { testCase, engine, sql }: Subject,
  generatedSql: string,
  context: AuditContext,
): Omit<RunBothInput, 'expectedOutcome'> {
  const asked = testCase.compare.order ?? 'auto'
  const found =
    asked === 'unordered' || !mayOrder(sql) ? unordered : queryOrder(context.parser, sql, engine.dialect)
  return {
    engine,
    limits: context.limits,
    expectedSql: sql,
    generatedSql,
    same: false,
    order: asked === 'ordered' ? { ...found, order: 'ordered' } : found,
    tolerance: testCase.compare.tolerance ?? context.defaults.tolerance,
    columns: testCase.compare.columns,
  }
}
