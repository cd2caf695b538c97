import { isNoisy, nullEdit } from '../../audit/null-edit.js'
import {
  type CheckDescription,
  type CheckTargets,
  interruptedCheck,
  printCheck,
} from '../../cli/check-output.js'
import type { CommandContext } from '../../cli/command-context.js'
import type { Config } from '../../config/config.js'
import { AutotestError } from '../../errors.js'
import { nullEditLines } from '../../report/console/null-edit.js'
import { nullEditJson } from '../../report/null-edit-json.js'
import { loadSnapshot } from '../../snapshot/load.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { withComponents } from '../compose.js'
import type { ExitCode } from '../exit-code.js'
import type { LlmComponents } from '../models/compose-llm.js'
import { needsLlm } from '../models/llm-requirements.js'
import type { Project } from '../project/project.js'

export interface NullEditOptions extends CheckTargets {
  readonly trials: number
  /** What it is part of. */
  readonly check: CheckDescription
}

/** Asks the configured agent before and after an edit that changes nothing. Exit 1 where verdicts changed. */
export async function runNullEdit(
  { config, selected }: Project,
  { trials, check, ...targets }: NullEditOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal, signal, now } = context
  if (!Number.isInteger(trials) || trials < 1)
    throw new AutotestError('usage', `--trials ${trials}: must be a whole number from 1`)
  const { snapshot } = await loadSnapshot(config.root, [config.kb, config.agents])
  const llm = await composeModels(config, snapshot, 2 * trials * selected.length, context)
  const options = {
    config,
    llm,
    today: now().toISOString().slice(0, 10),
    onProgress: (text: string) => terminal.err(`note  ${text}`),
  }
  const report = await withComponents(options, signal, ({ evaluator }) =>
    nullEdit({
      cases: selected,
      snapshot,
      kbFolder: config.kb,
      evaluator,
      trials,
      concurrency: config.limits.concurrency,
      signal,
      onProgress: (done, total) => terminal.status(` ${done}/${total} cases`),
    }),
  ).catch((error: unknown) => {
    throw signal.aborted ? interruptedCheck(check, error) : error
  })
  if (signal.aborted) throw interruptedCheck(check)
  terminal.status('')
  const output = {
    lines: (screen: Parameters<typeof nullEditLines>[1]) => nullEditLines(report, screen),
    json: nullEditJson(report),
  }
  await printCheck(output, targets, context)
  return report.cases.some(isNoisy) ? 1 : 0
}

/** The models of an agent that is one. Half a measurement is none: throws `usage` where the budget cannot cover it. */
async function composeModels(
  config: Config,
  snapshot: Snapshot,
  questions: number,
  { terminal, env }: Pick<CommandContext, 'terminal' | 'env'>,
): Promise<LlmComponents | undefined> {
  if (!needsLlm(config, false, { env, replay: undefined })) return undefined
  const { calls } = config.budget
  if (config.agent.kind === 'llm' && calls !== undefined && calls < questions)
    throw new AutotestError(
      'budget_exhausted',
      `the noise floor takes ${questions} LLM calls at least, and ${calls} are allowed`,
      {
        hint: `Give --max-llm-calls ${questions}, fewer --trials, or fewer cases (--tags, --id).`,
      },
    )
  const { composeLlm } = await import('../models/compose-llm.js')
  return composeLlm({
    config,
    snapshot,
    env,
    record: undefined,
    replay: undefined,
    already: new Map(),
    known: new Map(),
    judgements: undefined,
    // An audit keeps nothing.
    onCall: () => () => undefined,
    onWait: (text) => terminal.status(text),
    onNote: (text) => terminal.err(`note  ${text}`),
  })
}
