import { extname, resolve } from 'node:path'
import type { CheckContext, CheckEvent } from '../app/checks/check-context.js'
import { AutotestError } from '../errors.js'
import type { Screen } from '../report/console/screen-layout.js'
import { prepareReportFolder, writeReportText } from '../report/write.js'
import { parseCommaList } from '../text/comma-list.js'
import { createRedactor } from '../text/secrets.js'
import type { CommandContext } from './command-context.js'
import type { Terminal } from './terminal.js'

/** The name of a check in messages, such as an audit, and the files it may be written to. */
export interface CheckDescription {
  readonly name: string
  readonly example: string
}

/** The output of a check: lines for people, JSON for programs. */
export interface CheckOutput {
  readonly lines: (screen: Screen) => readonly string[]
  readonly json: string
}

export interface CheckTargets {
  readonly reporter: readonly string[] | undefined
  /** Absolute paths of JSON files. */
  readonly files: readonly string[]
}

/** Returns the files of --output, whose folders must exist. Throws `usage` for one that is not .json. */
export async function checkFiles(
  output: readonly string[] | undefined,
  { name, example }: CheckDescription,
  cwd: string,
): Promise<string[]> {
  const files = parseCommaList(output).map((file) => {
    if (extname(file).toLowerCase() === '.json') return resolve(cwd, file)
    throw new AutotestError('usage', `${file}: ${name} can only be written as .json`, {
      hint: `Choose a file such as ${example}, or redirect standard output.`,
    })
  })
  for (const file of files) await prepareReportFolder(file)
  return files
}

/** Prints and writes the findings of a check, without secrets of the environment. */
export async function printCheck(
  { lines, json }: CheckOutput,
  { reporter = ['console'], files }: CheckTargets,
  { terminal, env }: Pick<CommandContext, 'terminal' | 'env'>,
): Promise<void> {
  terminal.status('')
  const redact = createRedactor(env)
  const text = redact(json)
  if (reporter.includes('console'))
    for (const line of lines({ width: terminal.width, color: terminal.color })) terminal.out(redact(line))
  if (reporter.includes('json')) terminal.out(text.trimEnd())
  for (const file of files) await writeReportText(file, text)
}

/** Returns the context of a check whose events are shown in the terminal. */
export function checkContextOf({ terminal, signal, env, now }: CommandContext): CheckContext {
  return { listener: (event) => printCheckEvent(event, terminal), signal, env, now }
}

function printCheckEvent(event: CheckEvent, terminal: Terminal): void {
  switch (event.kind) {
    case 'note':
      terminal.err(`note  ${event.text}`)
      return
    case 'waiting':
    case 'calling':
      terminal.status(event.text)
      return
    case 'case_checked': {
      const tried = event.mutants === undefined ? '' : ` · ${event.mutants} mutants tried`
      terminal.status(` ${event.done}/${event.total} cases${tried}`)
    }
  }
}
