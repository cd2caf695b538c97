import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SessionPool } from '../../../domains/tests/python-sessions.js'
import { createTestsRepair } from '../../../domains/tests/repair/tests-repair.js'
import type { TestsTypes } from '../../../domains/tests/tests-domain-types.js'
import { fileHistory } from '../../../git/file-history.js'
import { reserveAsks } from '../../../llm/reserve-agent-calls.js'
import { repairFailures } from '../../../repair/loop.js'
import type { ModelProposer } from '../../../repair/model/model-proposer.js'
import type { RepairResult } from '../../../repair/model/repair-input.js'
import type { BaselineCase } from '../../../run/baseline.js'
import type { Evaluation, Evaluator } from '../../../run/evaluate-case.js'
import { createRedactor } from '../../../text/secrets.js'
import type { LlmComponents } from '../../models/compose-llm.js'
import { selectRepairers } from '../../models/llm-requirements.js'
import { commonRepairInput } from '../common-repair-input.js'
import type { RepairCallbacks, StartedRun } from '../run-state.js'

export interface ToolRepairStep {
  readonly started: StartedRun
  /** The baseline by case id. */
  readonly cases: ReadonlyMap<string, BaselineCase<TestsTypes>>
  readonly evaluator: Evaluator<TestsTypes>
  /** Sessions whose workspace is empty. */
  readonly sessions: SessionPool
  /** Of the Python project, absolute. */
  readonly root: string
  /** Every case, among them the probes of the tools. */
  readonly benchmark: readonly TestsTypes['case'][]
}

/** How many former texts of a script are tried. */
const mostFormerTexts = 20

/** Repairs the tools of an agent that writes unit tests. */
export async function repairTools(
  { started, cases, evaluator, sessions, root, benchmark }: ToolRepairStep,
  failing: readonly Evaluation<TestsTypes>[],
  recorded: RepairCallbacks,
): Promise<RepairResult> {
  const { request, llm } = started
  const { config } = request.project
  const common = commonRepairInput<TestsTypes>(started, cases)
  const { signal } = common
  const repairers = selectRepairers(config, request)
  const traced = failing.map((evaluation) => withTrace(evaluation, started))
  return repairFailures<TestsTypes>({
    ...common,
    domain: createTestsRepair({
      benchmark,
      sessions,
      agentsFolder: config.agents,
      rejected: request.rejected,
      async formerTexts(path) {
        const texts = []
        for await (const { text, by } of fileHistory(config.root, path, mostFormerTexts))
          texts.push({ text, by })
        return texts
      },
      onNote: (text) => request.listener({ kind: 'note', text }),
      read: (file) => readFile(join(root, file), 'utf8').catch(() => undefined),
      signal,
    }),
    evaluator,
    benchmark,
    failing: traced,
    rules: repairers.includes('rules'),
    proposer:
      llm !== undefined && repairers.includes('llm')
        ? await openProposer(llm.parts, started, evaluator.agent.deterministic ? 0 : 1, signal)
        : undefined,
    proposerFirst: repairers[0] === 'llm' && repairers.includes('rules'),
    reserve:
      llm === undefined || evaluator.agent.deterministic
        ? undefined
        : (asks) => reserveAsks(asks, { budget: llm.parts.budget, callsPerAsk: 1, role: 'test_writer' }),
    ...recorded,
  })
}

async function openProposer(
  { llm, budget, modelOf }: LlmComponents,
  { request }: StartedRun,
  callsPerAsk: number,
  signal: AbortSignal,
): Promise<ModelProposer<TestsTypes>> {
  const { config } = request.project
  const { definition } = config.llm.roles.repairer
  const { createToolProposer } = await import('../../../domains/tests/repair/llm-proposer.js')
  return createToolProposer({
    ...{ llm, budget, callsPerAsk, definition, signal },
    role: 'test_writer',
    model: await modelOf('repairer', definition),
    agentsFolder: config.agents,
    redact: createRedactor(request.env),
  })
}

/** Adds what an agent did to an answer of an interrupted run: its row has it. */
function withTrace(evaluation: Evaluation<TestsTypes>, { request, run }: StartedRun): Evaluation<TestsTypes> {
  if (evaluation.sample.trace !== undefined) return evaluation
  const trace = request.store.traceOf(run.id, evaluation.testCase.id)
  return trace === undefined ? evaluation : { ...evaluation, sample: { ...evaluation.sample, trace } }
}
