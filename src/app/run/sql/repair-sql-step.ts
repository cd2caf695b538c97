import type { SqlCase } from '../../../benchmark/case.js'
import { throwingAtDeadline } from '../../../compare/outcomes/deadline-errors.js'
import type { Config } from '../../../config/config.js'
import type { RepairContext } from '../../../domains/sql/repair/model/repair-context.js'
import type { SqlEvaluation } from '../../../domains/sql/repair/model/sql-repair-types.js'
import type { SqlRepairInput } from '../../../domains/sql/repair/repair-sql.js'
import type { SqlTypes } from '../../../domains/sql/sql-domain-types.js'
import { reserveAsks } from '../../../llm/reserve-agent-calls.js'
import type { ModelProposer } from '../../../repair/model/model-proposer.js'
import type { RepairResult } from '../../../repair/model/repair-input.js'
import type { BaselineCase } from '../../../run/baseline.js'
import { loadSqlParser, loadSqlTranslator } from '../../../sql/index.js'
import { createRedactor } from '../../../text/secrets.js'
import type { RunComponents } from '../../compose.js'
import type { LlmComponents } from '../../models/compose-llm.js'
import { selectRepairers } from '../../models/llm-requirements.js'
import type { SqlProject } from '../../project/project.js'
import { commonRepairInput } from '../common-repair-input.js'
import type { ExecuteRequest, RepairCallbacks, StartedRun } from '../run-state.js'
import { caseSchemas } from './case-schemas.js'

export interface SqlRepairStep {
  readonly started: StartedRun
  readonly parts: RunComponents
  readonly project: SqlProject
  readonly baseline: ReadonlyMap<string, BaselineCase<SqlTypes>>
}

/** Repairs failing cases of text-to-SQL. */
export async function repairSqlCases(
  { started, ...rest }: SqlRepairStep,
  failing: readonly SqlEvaluation[],
  recorded: RepairCallbacks,
): Promise<RepairResult> {
  const [input, { repairSqlFailures }] = await Promise.all([
    repairInput({ started, ...rest }, failing),
    import('../../../domains/sql/repair/repair-sql.js'),
  ])
  return repairSqlFailures({ ...input, ...recorded })
}

async function repairInput(
  step: SqlRepairStep,
  failing: readonly SqlEvaluation[],
): Promise<Omit<SqlRepairInput, 'onAttempt'>> {
  const { started, parts, project, baseline } = step
  const { request, llm } = started
  const { config, benchmark } = project
  const common = commonRepairInput<SqlTypes>(started, baseline)
  const onLimit = notingOnce(request)
  // A benchmark without failures needs none of it.
  const [context, { createDistinguisher }, { projectHistory }] = await Promise.all([
    repairContext(step, failing, onLimit),
    import('../../../domains/sql/repair/verify/twins/twin-distinguisher.js'),
    import('../../project/git-history.js'),
  ])
  return {
    ...common,
    ...context,
    ...(await repairersOf(started, context, common.signal)),
    reserve:
      llm === undefined || config.agent.kind !== 'llm'
        ? undefined
        : (asks) => reserveAsks(asks, { budget: llm.parts.budget, callsPerAsk: 1 }),
    evaluator: parts.evaluator,
    benchmark,
    followBenchmark: new Set(request.followBenchmark),
    storedValues: ({ engine }) => parts.storedValues(engine),
    distinguishes: createDistinguisher({
      engineOf: parts.engineOf,
      dialectOf: parts.dialectOf,
      limits: parts.limits,
    }),
    failing,
    history: projectHistory(
      config.root,
      foldersOf(config),
      benchmark,
      async (testCase, sql) => {
        const engine = await parts.engineOf(testCase)
        if (engine === undefined || parts.dialectOf(testCase) !== engine.dialect) return true
        return (await throwingAtDeadline(engine).query(sql, parts.limits)).kind === 'rows'
      },
      onLimit,
    ),
  }
}

/** Returns a function that reports where the history is longer than what is read, each text once. */
function notingOnce({ listener }: ExecuteRequest): (text: string) => void {
  const reported = new Set<string>()
  return (text) => {
    if (reported.has(text)) return
    reported.add(text)
    listener({ kind: 'note', text })
  }
}

/** Returns the history of the project's queries and the lines removed from its files. */
async function repairContext(
  { started: { request }, parts, project }: SqlRepairStep,
  failing: readonly SqlEvaluation[],
  onLimit: (text: string) => void,
) {
  const { config, benchmark } = project
  const [parser, { maxCommitsOfFolders, removedLines }, { describeHistoryLimit }] = await Promise.all([
    loadSqlParser(),
    import('../../../git/removed-lines.js'),
    import('../../../git/history-gap.js'),
  ])
  const { lines, isCut } = await removedLines(config.root, ...foldersOf(config))
  if (isCut)
    onLimit(
      describeHistoryLimit(`the newest ${maxCommitsOfFolders} commits of ${foldersOf(config).join(' and ')}`),
    )
  const dialect = parts.evaluator.agentDialect
  const translates = benchmark.some((testCase) => parts.dialectOf(testCase) !== dialect)
  return {
    parser,
    translator: translates ? await loadSqlTranslator() : undefined,
    dialect,
    expectedDialect: parts.dialectOf,
    kbFolder: config.kb,
    sources: config.sources,
    asOf: (testCase: SqlCase) => parts.evaluator.asOf(testCase),
    schemaOf: await caseSchemas(
      failing.map(({ testCase }) => testCase),
      parts.engineOf,
    ),
    removedLines: lines,
    rejected: request.rejected,
  }
}

/** Returns where the project's knowledge is; a native folder that is not there has no history. */
function foldersOf({ kb, sources }: Config): string[] {
  return [kb, ...sources.map(({ path }) => path)]
}

async function repairersOf(
  { request, llm }: StartedRun,
  context: RepairContext,
  signal: AbortSignal,
): Promise<Pick<SqlRepairInput, 'rules' | 'proposer' | 'proposerFirst'>> {
  const { config } = request.project
  const repairers = selectRepairers(config, request)
  return {
    rules: repairers.includes('rules'),
    proposer:
      llm !== undefined && repairers.includes('llm')
        ? await openProposer(llm.parts, config, context, signal, request.env)
        : undefined,
    proposerFirst: repairers[0] === 'llm' && repairers.includes('rules'),
  }
}

async function openProposer(
  { llm, budget, modelOf }: LlmComponents,
  config: Config,
  context: RepairContext,
  signal: AbortSignal,
  env: ExecuteRequest['env'],
): Promise<ModelProposer<SqlTypes>> {
  const { definition } = config.llm.roles.repairer
  const [{ createLlmProposer }, model] = await Promise.all([
    import('../../../domains/sql/repair/propose/llm/llm-proposer.js'),
    modelOf('repairer', definition),
  ])
  return createLlmProposer({
    llm,
    model,
    budget,
    agentsFolder: config.agents,
    definition,
    showExpected: config.repair.showExpected,
    callsPerAsk: config.agent.kind === 'llm' ? 1 : 0,
    redact: createRedactor(env),
    context,
    signal,
  })
}
