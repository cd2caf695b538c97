import { loadProject } from '../../app/project/project.js'
import { performRun } from '../../app/run/perform-run.js'
import { checkFlags } from '../check-flags.js'
import type { CommandContext } from '../command-context.js'
import type { ExitCode } from '../exit-code.js'
import type { RunFlags } from '../flags.js'

export async function runCommand(flags: RunFlags, context: CommandContext): Promise<ExitCode> {
  if (flags.list === true) return listCases(flags, context)
  const { exitCode } = await performRun(flags, context)
  return exitCode
}

async function listCases(flags: RunFlags, { terminal, cwd }: CommandContext): Promise<ExitCode> {
  checkFlags(flags)
  const { selected, benchmark } = await loadProject(flags, cwd)
  const widest = Math.max(...selected.map((testCase) => testCase.id.length))
  for (const { id, question, tags } of selected) {
    terminal.out(`${id.padEnd(widest)}  ${question}${tags.length > 0 ? `  [${tags.join(', ')}]` : ''}`)
  }
  terminal.out(`${selected.length} of ${benchmark.length} cases`)
  return 0
}
