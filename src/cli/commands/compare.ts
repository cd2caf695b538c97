import { createReadStream, existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { compareInBulk } from '../../app/compare/bulk/compare-in-bulk.js'
import { comparePair, copiesFor } from '../../app/compare/compare-pair.js'
import type { ComparisonRequest } from '../../app/compare/comparison-request.js'
import { parseDialect } from '../../app/compare/parse-dialect.js'
import { createProjectEnginePool } from '../../app/compare/project-engine-pool.js'
import { raceInterrupt } from '../../app/compare/race-interrupt.js'
import { lastStoredCase, noRunError, requestFromCase } from '../../app/compare/stored-case.js'
import { createStructureComparer } from '../../app/compare/structure-comparer.js'
import type { EnginePool } from '../../app/engine-pool.js'
import { queryLimitsOf } from '../../app/engine-registry.js'
import type { ExitCode } from '../../app/exit-code.js'
import { databasePath } from '../../app/project/project.js'
import { createExpectedResultsCache } from '../../compare/outcomes/expected-results-cache.js'
import type { Config } from '../../config/config.js'
import { loadConfig } from '../../config/load.js'
import type { Dialect } from '../../enums/dialect.js'
import { AutotestError, messageOf } from '../../errors.js'
import { comparisonLines, formLines } from '../../report/console/comparison.js'
import { loadSqlParser } from '../../sql/index.js'
import { openStore } from '../../store/store.js'
import type { CommandContext } from '../command-context.js'
import { dialectsFromFlags, requestFromFlags } from '../compare/comparison-flags.js'
import type { CompareFlags } from '../compare/flags.js'
import { lineWriter } from '../compare/write-lines.js'

/** Explains why two queries count as equal or not: a case of the last run, two texts, or many pairs. */
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
    throw new AutotestError('usage', 'autotest compare: nothing to compare', {
      hint: 'Name a case of the last run, give --expected and --generated, or --jsonl FILE.',
    })
  }
  if (flags.jsonl !== undefined && flags.explain === true) {
    throw new AutotestError('usage', '--explain and --jsonl cannot be combined', {
      hint: '--explain prints one pair: give it as --expected and --generated.',
    })
  }
  if (asked.length < 2) return
  const words = asked.map((name) => (name === 'case' ? 'a case' : `--${name}`))
  throw new AutotestError('usage', `${words.join(' and ')} cannot be combined`, {
    hint: 'Use only one of them.',
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
    if (sample.answer === undefined) {
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

/** Prints the findings for one pair, and returns whether it passes. */
async function compareAndPrint(
  request: ComparisonRequest,
  flags: CompareFlags,
  config: Config,
  { terminal, cwd, signal }: CommandContext,
): Promise<ExitCode> {
  const engines = await enginePoolOf(flags, config, { cwd, terminal })
  const screen = { width: terminal.width, color: terminal.color }
  try {
    const work = comparePair(request, config, engines, flags.explain === true)
    const { score, engine, forms, exitCode } = await raceInterrupt(work, signal, 'there is no verdict')
    for (const line of comparisonLines(score, engine, screen)) terminal.out(line)
    if (forms !== undefined) for (const line of formLines(forms, screen)) terminal.out(line)
    return exitCode
  } finally {
    await engines.close()
  }
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
  const engines = await enginePoolOf(flags, config, { cwd, terminal })
  try {
    await compareInBulk({
      input: readable(input, file),
      context: {
        parser,
        structure: createStructureComparer(parser),
        engines,
        expectedResults: createExpectedResultsCache(),
        copies: copiesFor(config, engines),
        limits: queryLimitsOf(config),
        tolerance: config.scoring.tolerance,
        policy: config.scoring.policy,
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

async function enginePoolOf(
  flags: CompareFlags,
  config: Config,
  { cwd, terminal }: Pick<CommandContext, 'cwd' | 'terminal'>,
): Promise<EnginePool> {
  return createProjectEnginePool({
    config,
    configured: flags.engine === undefined ? config : await loadConfig({ cwd, file: flags.config }),
    dialect: flags.dialect === undefined ? undefined : parseDialect(flags.dialect, '--dialect'),
    onNote: (text) => terminal.err(`note  ${text}`),
  })
}
