import { createReadStream, existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createEnginePool, type EnginePool } from '../../app/compare/engine-pool.js'
import { parseDialect } from '../../app/compare/parse-dialect.js'
import { lastStoredCase, noRunError, requestFromCase } from '../../app/compare/stored-case.js'
import { createStructureComparer } from '../../app/compare/structure-comparer.js'
import { engineKinds, engineTokenOf } from '../../app/engine-registry.js'
import { type ExitCode, exitCodeOfError } from '../../app/exit-code.js'
import { databasePath } from '../../app/project/project.js'
import { engineSchema } from '../../compare/engine-schema.js'
import { createExpectedResultsCache } from '../../compare/expected-results-cache.js'
import { type CopyComparer, createCopyComparer } from '../../compare/fuzzed-copies.js'
import type { Score } from '../../compare/score.js'
import { scoreSql } from '../../compare/score-sql.js'
import type { Config } from '../../config/config.js'
import { loadConfig } from '../../config/load.js'
import type { Engine, QueryLimits } from '../../engine/engine.js'
import type { Dialect } from '../../enums/dialect.js'
import { AutotestError, messageOf } from '../../errors.js'
import { comparisonLines, formLines } from '../../report/console/comparison.js'
import { type CanonicalForms, canonicalForms } from '../../sql/canonical.js'
import { loadSqlParser } from '../../sql/parser.js'
import { openStore } from '../../store/store.js'
import type { CommandContext } from '../command-context.js'
import { compareInBulk } from '../compare/bulk.js'
import { type ComparisonRequest, dialectsFromFlags, requestFromFlags } from '../compare/comparison-flags.js'
import type { CompareFlags } from '../compare/flags.js'
import { raceInterrupt } from '../compare/until-interrupted.js'
import { lineWriter } from '../compare/write-lines.js'

/** Why two queries count as equal or not: a case of the last run, two texts, or many pairs. */
export async function compareCommand(flags: CompareFlags, context: CommandContext): Promise<ExitCode> {
  checkFlags(flags)
  const dialect = flags.dialect === undefined ? undefined : parseDialect(flags.dialect, '--dialect')
  const overrides = { engine: flags.engine, fuzz: flags.fuzz, seed: flags.seed, policy: flags.policy }
  const config = await loadConfig({ cwd: context.cwd, file: flags.config, overrides })
  if (flags.jsonl !== undefined) return compareLines(flags.jsonl, flags, dialect, config, context)
  if (flags.case === undefined)
    return compareAndPrint(
      await requestFromFlags(flags, dialectsFromFlags(flags), config, context.cwd),
      flags,
      config,
      context,
    )
  return compareStored(flags.case, flags, config, context)
}

function checkFlags(flags: CompareFlags): void {
  const asked = (['case', 'expected', 'jsonl'] as const).filter((name) => flags[name] !== undefined)
  if (asked.length === 0 && flags.generated === undefined) {
    throw new AutotestError('usage', 'autotest compare: there is nothing to compare', {
      hint: 'Name a case of the last run, give --expected and --generated, or --jsonl FILE.',
    })
  }
  if (flags.jsonl !== undefined && flags.explain === true) {
    throw new AutotestError('usage', '--explain and --jsonl contradict each other', {
      hint: 'The canonical forms are printed of one pair: give it as --expected and --generated.',
    })
  }
  if (asked.length < 2) return
  const words = asked.map((name) => (name === 'case' ? 'a case' : `--${name}`))
  throw new AutotestError('usage', `${words.join(' and ')} contradict each other`, {
    hint: 'Give one of them.',
  })
}

async function compareStored(
  caseId: string,
  flags: CompareFlags,
  config: Config,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context
  const database = databasePath({ ...flags, cwd: context.cwd }, config)
  if (!existsSync(database)) throw noRunError(caseId)
  const store = await openStore(database, {
    readonly: true,
    now: context.now,
  })
  try {
    const stored = lastStoredCase(store, config.root, caseId)
    const { sample } = stored.record
    terminal.out(`${caseId} as answered in run ${stored.run.id}: ${stored.record.question}`)
    if (sample.sql === undefined) {
      terminal.out(`  There is no query to compare: ${sample.reason}`)
      return 1
    }
    const { note, ...question } = await requestFromCase(stored, config)
    if (note !== undefined) terminal.err(`note  ${note}`)
    const named = { ...question, engine: flags.engine === undefined ? question.engine : config.engine }
    return await compareAndPrint(named, flags, config, context)
  } finally {
    store.close()
  }
}

/** Scores one pair as a run would, prints what was found, and says whether it passes. */
async function compareAndPrint(
  question: ComparisonRequest,
  flags: CompareFlags,
  config: Config,
  { terminal, cwd, signal }: CommandContext,
): Promise<ExitCode> {
  const engines = await createProjectEnginePool(flags, config, { cwd, terminal })
  const screen = { width: terminal.width, color: terminal.color }
  const report = async (engine: Engine | undefined) => {
    const score = await scoreOf(question, engine, copiesFor(config, engines), config)
    const lines = comparisonLines(score, engine?.url, screen)
    if (flags.explain === true) lines.push(...formLines(await canonicalFormsOf(question, engine), screen))
    return { lines, code: exitCodeOfScore(score) }
  }
  const { engine } = question
  try {
    const work = engine === undefined ? report(undefined) : engines.use(engine, report)
    const { lines, code } = await raceInterrupt(work, signal, 'there is no verdict')
    for (const line of lines) terminal.out(line)
    return code
  } finally {
    await engines.close()
  }
}

/** A database that fails under a query is what one is that does not open. */
function exitCodeOfScore({ verdict, errorCause }: Score): ExitCode {
  if (errorCause === 'engine') return exitCodeOfError('engine_unavailable')
  return verdict === 'pass' ? 0 : 1
}

async function scoreOf(
  question: ComparisonRequest,
  engine: Engine | undefined,
  copies: CopyComparer,
  config: Config,
): Promise<Score> {
  return scoreSql({
    testCase: question.testCase,
    sql: question.generatedSql,
    agentDialect: generatedDialect(question, engine),
    engine,
    limits: limitsOf(config),
    defaults: config.scoring,
    loadParser: loadSqlParser,
    expectedResults: createExpectedResultsCache(),
    copies,
  })
}

/** The canonical forms as they were compared: with the tables of the database where there is one. */
async function canonicalFormsOf(
  question: ComparisonRequest,
  engine: Engine | undefined,
): Promise<CanonicalForms> {
  const generated = generatedDialect(question, engine)
  const expected = question.testCase.dialect ?? engine?.dialect ?? generated
  return canonicalForms(
    await loadSqlParser(),
    { sql: question.testCase.expectedSql, dialect: expected },
    { sql: question.generatedSql, dialect: generated },
    { schema: engine && (await engineSchema(engine)) },
  )
}

function generatedDialect(question: ComparisonRequest, engine: Engine | undefined): Dialect {
  return question.generatedDialect ?? engine?.dialect ?? question.testCase.dialect ?? 'ansi'
}

async function compareLines(
  file: string,
  flags: CompareFlags,
  dialect: Dialect | undefined,
  config: Config,
  { cwd, signal, terminal }: CommandContext,
): Promise<ExitCode> {
  const input = await openInput(file, cwd)
  const parser = await loadSqlParser()
  const engines = await createProjectEnginePool(flags, config, { cwd, terminal })
  try {
    await compareInBulk({
      input: readable(input, file),
      context: {
        parser,
        structure: createStructureComparer(parser),
        engines,
        expectedResults: createExpectedResultsCache(),
        copies: copiesFor(config, engines),
        limits: limitsOf(config),
        tolerance: config.scoring.tolerance,
        policy: flags.policy ?? 'evidence',
        engine: flags.engine === undefined ? undefined : config.engine,
        dialect,
      },
      write: lineWriter(process.stdout),
      signal,
    })
  } finally {
    input.destroy()
    await engines.close()
  }
  return 0
}

type Input = typeof process.stdin | ReturnType<typeof createReadStream>

async function openInput(file: string, cwd: string): Promise<Input> {
  if (file === '' || file === '-') return process.stdin
  const path = resolve(cwd, file)
  const found = await stat(path).catch((error: unknown) => {
    throw unreadable(file, error)
  })
  if (found.isDirectory()) throw unreadable(file, 'it is a folder')
  return createReadStream(path)
}

async function* readable(input: Input, file: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of input) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
  } catch (error) {
    throw unreadable(file, error)
  }
}

function unreadable(file: string, error: unknown): AutotestError {
  return new AutotestError('usage', `--jsonl ${file} cannot be read: ${messageOf(error)}`, { cause: error })
}

/** Copies of the pair's own database, else of the configured fixture. */
function copiesFor(config: Config, engines: EnginePool): CopyComparer {
  const { fuzz, seed, fuzzSource } = config.scoring
  const source = async () => (fuzzSource === undefined ? undefined : engines.open(fuzzSource))
  return createCopyComparer({ count: fuzz, seed, source, loadParser: loadSqlParser })
}

/** Engines of the project; the configured one is built from its script where it is absent. */
async function createProjectEnginePool(
  flags: CompareFlags,
  config: Config,
  { cwd, terminal }: Pick<CommandContext, 'cwd' | 'terminal'>,
): Promise<EnginePool> {
  const configured = flags.engine === undefined ? config : await loadConfig({ cwd, file: flags.config })
  const asked = flags.dialect === undefined ? undefined : parseDialect(flags.dialect, '--dialect')
  return createEnginePool(engineKinds, (url) => ({
    root: config.root,
    fixture: url === configured.engine ? configured.fixture : undefined,
    concurrency: config.limits.concurrency,
    memoryBytes: config.limits.memoryBytes,
    dialect: url === configured.engine ? (config.dialect ?? asked) : (asked ?? config.dialect),
    // A line may name an engine of its own, which is not to be given the token.
    token: url === config.engine || url === configured.engine ? engineTokenOf(config) : undefined,
    onFixture: (text) => terminal.err(`note  ${text}`),
  }))
}

function limitsOf({ limits }: Config): QueryLimits {
  return {
    timeoutMs: limits.queryTimeoutMs,
    rows: limits.rows,
    bytes: limits.bytes,
    memoryBytes: limits.memoryBytes,
  }
}
