import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ExitCode } from '../../app/exit-code.js'
import { planProject } from '../../app/init/plan-project.js'
import { AutotestError, messageOf } from '../../errors.js'
import type { CommandContext } from '../command-context.js'
import { runInTerminal } from '../run/run-in-terminal.js'

export interface InitFlags {
  readonly yes?: boolean
  readonly engine?: string
}

/** Shows what a folder has and what would be written for it; with --yes writes that and runs the benchmark once. */
export async function initCommand({ yes, engine }: InitFlags, context: CommandContext): Promise<ExitCode> {
  const { terminal, cwd } = context
  const { found, files } = await planProject(cwd, engine)
  for (const line of found) terminal.out(line)
  if (yes !== true) {
    terminal.out('')
    for (const { path, text } of files) terminal.out(`${path}\n${text.replaceAll(/^(?=.)/gm, '    ')}`)
    terminal.out('Nothing was written: autotest init --yes writes these files, and runs once.')
    return 0
  }
  for (const { path, text } of files) {
    await write(join(cwd, path), text)
    terminal.out(`wrote ${path}`)
  }
  terminal.out('')
  const { exitCode } = await runInTerminal({ 'no-repair': true }, context)
  return exitCode
}

/** Writes a new file; one that is there stays. */
async function write(path: string, text: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text, { flag: 'wx' })
  } catch (error) {
    throw new AutotestError('write_failed', `${path} cannot be written: ${messageOf(error)}`, {
      cause: error,
    })
  }
}
