import { isNoisy, nullEdit } from '../audit/null-edit.js'
import type { Config } from '../config/config.js'
import { AutotestError } from '../errors.js'
import { nullEditJson, nullEditLines } from '../report/console/null-edit.js'
import { writeReportText } from '../report/write.js'
import { loadSnapshot } from '../snapshot/load.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import { createRedactor } from '../store/redact.js'
import type { CommandContext } from './command-context.js'
import { composeParts } from './compose.js'
import type { ExitCode } from './exit-code.js'
import { needsLlm } from './llm-needs.js'
import type { LlmParts } from './llm-parts.js'
import type { Project } from './project.js'

export interface NullEditOptions {
  readonly trials: number
  /** Absolute paths of JSON files to write. */
  readonly files: readonly string[]
  readonly reporter: readonly string[] | undefined
}

/** Asks the configured agent before and after an edit that changes nothing. Exit 1 where verdicts changed. */
export async function nullEditOfProject(
  { config, selected }: Project,
  { trials, files, reporter }: NullEditOptions,
  { terminal, signal, now, env }: CommandContext,
): Promise<ExitCode> {
  if (!Number.isInteger(trials) || trials < 1)
    throw new AutotestError('usage', `--trials ${trials}: must be a whole number from 1`)
  const { snapshot } = await loadSnapshot(config.root, [config.kb, config.agents])
  const llm = await modelsFor(config, snapshot, 2 * trials * selected.length, { terminal, env })
  const parts = await composeParts({
    config,
    llm,
    today: now().toISOString().slice(0, 10),
    onProgress: (text) => terminal.err(`note  ${text}`),
  })
  const close = (): void => void parts.close()
  signal.addEventListener('abort', close)
  try {
    const report = await nullEdit({
      cases: selected,
      snapshot,
      kbFolder: config.kb,
      evaluator: parts.evaluator,
      trials,
      concurrency: config.limits.concurrency,
      signal,
      onProgress: (done, total) => terminal.status(` ${done}/${total} cases`),
    })
    if (signal.aborted) throw interrupted()
    terminal.status('')
    const redact = createRedactor(env)
    const json = redact(nullEditJson(report))
    const reporters = reporter ?? ['console']
    if (reporters.includes('console'))
      for (const line of nullEditLines(report, { width: terminal.width, color: terminal.color }))
        terminal.out(redact(line))
    if (reporters.includes('json')) terminal.out(json.trimEnd())
    for (const file of files) await writeReportText(file, json)
    return report.cases.some(isNoisy) ? 1 : 0
  } catch (error) {
    throw signal.aborted ? interrupted(error) : error
  } finally {
    signal.removeEventListener('abort', close)
    await parts.close()
  }
}

/** The models of an agent that is one. Half a measurement is none: throws `usage` where the budget cannot cover it. */
async function modelsFor(
  config: Config,
  snapshot: Snapshot,
  questions: number,
  { terminal, env }: Pick<CommandContext, 'terminal' | 'env'>,
): Promise<LlmParts | undefined> {
  if (!needsLlm(config, false, env)) return undefined
  const { calls } = config.budget
  if (config.agent.kind === 'llm' && calls !== undefined && calls < questions)
    throw new AutotestError(
      'budget_exhausted',
      `the noise floor takes ${questions} LLM calls at least, and ${calls} are allowed`,
      {
        hint: `Give --max-llm-calls ${questions}, fewer --trials, or fewer cases (--tags, --id).`,
      },
    )
  const { composeLlm } = await import('./llm-parts.js')
  return composeLlm({
    config,
    snapshot,
    env,
    record: undefined,
    replay: undefined,
    already: new Map(),
    known: new Map(),
    // An audit keeps nothing.
    onCall: () => Promise.resolve(),
    onWait: (text) => terminal.status(text),
  })
}

function interrupted(cause?: unknown): AutotestError {
  return new AutotestError('interrupted', 'interrupted: an audit keeps nothing', {
    hint: 'Run it again; --tags and --id audit a part.',
    cause,
  })
}
