import { isNoisy, nullEdit } from '../audit/null-edit.js'
import { AutotestError } from '../errors.js'
import { nullEditJson, nullEditLines } from '../report/console/null-edit.js'
import { writeReportText } from '../report/write.js'
import { loadSnapshot } from '../snapshot/load.js'
import { createRedactor } from '../store/redact.js'
import type { CommandContext } from './command-context.js'
import { composeParts } from './compose.js'
import type { ExitCode } from './exit-code.js'
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
  const parts = await composeParts({
    config,
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

function interrupted(cause?: unknown): AutotestError {
  return new AutotestError('interrupted', 'interrupted: an audit keeps nothing', {
    hint: 'Run it again; --tags and --id audit a part.',
    cause,
  })
}
