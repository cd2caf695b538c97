import { checks } from '../../app/doctor/all-checks.js'
import { inspectEnvironment } from '../../app/doctor/environment.js'
import { type CompletedCheck, runChecks } from '../../app/doctor/run-checks.js'
import type { ExitCode } from '../../app/exit-code.js'
import { parseAgentFlag } from '../../config/agent-flag.js'
import type { CommandContext } from '../command-context.js'
import type { DoctorFlags } from '../doctor/flags.js'
import { checkCountLine, checkResultLines, checkResultsJson } from '../doctor/render-results.js'

/** Checks the machine and the project. Exits with 2 if there is a problem. */
export async function doctorCommand(flags: DoctorFlags, context: CommandContext): Promise<ExitCode> {
  const { terminal, cwd, env, signal } = context
  const { agent, engine, kb } = flags
  const surroundings = inspectEnvironment({
    cwd,
    env,
    file: flags.config,
    db: flags.db,
    call: flags.call === true,
    overrides: { engine, kb, agent: agent === undefined ? undefined : parseAgentFlag(agent) },
  })
  const rows: CompletedCheck[] = []
  const screen = { width: terminal.width, color: terminal.color }
  for await (const row of runChecks(checks, surroundings, { signal })) {
    rows.push(row)
    if (flags.json !== true) for (const line of checkResultLines(row, screen)) terminal.out(line)
    if (flags.verbose === true && row.stack !== undefined) terminal.err(row.stack)
  }
  if (flags.json === true) terminal.out(checkResultsJson(rows))
  else terminal.out(`\n${checkCountLine(rows, screen)}`)
  return rows.some(({ status }) => status === 'problem') ? 2 : 0
}
