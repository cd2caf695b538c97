import { type NullEditReport, nullEdit } from '../../audit/null-edit.js'
import type { Config } from '../../config/config.js'
import { AutotestError } from '../../errors.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { withComponents } from '../compose.js'
import type { LlmComponents } from '../models/compose-llm.js'
import { needsLlm } from '../models/llm-requirements.js'
import { loadKnowledge } from '../project/load-knowledge.js'
import type { SqlProject } from '../project/project.js'
import { auditName } from './audit-project.js'
import type { CheckContext } from './check-context.js'
import { interruptedCheck } from './interrupted-check.js'

/**
 * Asks the configured agent before and after an edit that changes no meaning. Throws `interrupted` once the
 * signal aborts.
 *
 * @param trials how often each case is asked before and after it, from 1
 */
export async function runNullEdit(
  { config, selected }: SqlProject,
  trials: number,
  context: CheckContext,
): Promise<NullEditReport> {
  const { listener, signal, now } = context
  if (!Number.isInteger(trials) || trials < 1)
    throw new AutotestError('usage', `--trials ${trials}: must be a whole number from 1`)
  const { snapshot } = await loadKnowledge(config)
  const options = {
    config,
    llm: await composeModels(config, snapshot, 2 * trials * selected.length, context),
    benchmark: selected,
    today: now().toISOString().slice(0, 10),
    onProgress: (text: string) => listener({ kind: 'note', text }),
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
      onProgress: (done, total) => listener({ kind: 'case_checked', done, total }),
    }),
  ).catch((error: unknown) => {
    throw signal.aborted ? interruptedCheck(auditName, error) : error
  })
  if (signal.aborted) throw interruptedCheck(auditName)
  return report
}

/**
 * Opens the models of an agent that is a language model. A partial measurement is useless: throws `usage` if
 * the budget cannot cover it.
 */
async function composeModels(
  config: Config,
  snapshot: Snapshot,
  questions: number,
  { listener, env }: CheckContext,
): Promise<LlmComponents | undefined> {
  if (!needsLlm(config, false, { env, replay: undefined })) return undefined
  const { calls } = config.budget
  if (config.agent.kind === 'llm' && calls !== undefined && calls < questions)
    throw new AutotestError(
      'budget_exhausted',
      `the noise floor needs at least ${questions} LLM calls, and ${calls} are allowed`,
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
    // An audit stores nothing.
    onCall: () => () => undefined,
    onWait: (text) => listener({ kind: 'waiting', text }),
    onCalling: (text) => listener({ kind: 'calling', text }),
    onNote: (text) => listener({ kind: 'note', text }),
  })
}
