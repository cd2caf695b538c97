import type { ExitCode } from '../../app/exit-code.js'
import { loadRunDomain } from '../../app/run/load-run-domain.js'
import { checkRunRequest } from '../../app/run/run-request.js'
import type { CommandContext } from '../command-context.js'
import type { RunFlags } from '../flags.js'
import { runRequestFrom } from '../request-from-flags.js'
import { runInTerminal } from '../run/run-in-terminal.js'

export async function runCommand(flags: RunFlags, context: CommandContext): Promise<ExitCode> {
  if (flags.list === true) return listCases(flags, context)
  const { exitCode } = await runInTerminal(flags, context)
  return exitCode
}

async function listCases(flags: RunFlags, { terminal, cwd }: CommandContext): Promise<ExitCode> {
  const request = runRequestFrom(flags, cwd)
  checkRunRequest(request)
  const {
    project: { selected, benchmark },
  } = await loadRunDomain(request)
  const widest = Math.max(...selected.map((testCase) => testCase.id.length))
  for (const { id, question, tags } of selected) {
    terminal.out(`${id.padEnd(widest)}  ${question}${tags.length > 0 ? `  [${tags.join(', ')}]` : ''}`)
  }
  terminal.out(`${selected.length} of ${benchmark.length} cases`)
  return 0
}
