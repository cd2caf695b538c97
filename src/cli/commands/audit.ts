import { auditName, auditProject } from '../../app/checks/audit-project.js'
import type { ExitCode } from '../../app/exit-code.js'
import { loadProject, type SqlProject } from '../../app/project/project.js'
import { isNoisy } from '../../audit/null-edit.js'
import { AutotestError } from '../../errors.js'
import { auditJson } from '../../report/audit-json.js'
import { auditLines } from '../../report/console/audit.js'
import { nullEditLines } from '../../report/console/null-edit.js'
import type { Screen } from '../../report/console/screen-layout.js'
import { nullEditJson } from '../../report/null-edit-json.js'
import {
  type CheckDescription,
  type CheckTargets,
  checkContextOf,
  checkFiles,
  printCheck,
} from '../check-output.js'
import type { CommandContext } from '../command-context.js'
import type { AuditFlags } from '../flags.js'
import { projectRequestFrom } from '../request-from-flags.js'

const auditCheck: CheckDescription = { name: auditName, example: 'audit.json' }
const defaultTrials = 3

/**
 * Audits the benchmark itself; writes nothing except the files of --output. Exits with 1 if there are
 * findings.
 */
export async function auditCommand(flags: AuditFlags, context: CommandContext): Promise<ExitCode> {
  if (flags.trials !== undefined && flags['null-edit'] !== true)
    throw new AutotestError('usage', '--trials only applies to --null-edit', {
      hint: 'Add --null-edit, or remove --trials.',
    })
  const project = await loadProject(projectRequestFrom(flags, context.cwd))
  const files = await checkFiles(flags.output, auditCheck, context.cwd)
  const targets = { reporter: flags.reporter, files }
  return flags['null-edit'] === true
    ? printNullEdit(project, flags, targets, context)
    : printAudit(project, flags, targets, context)
}

async function printAudit(
  project: SqlProject,
  flags: AuditFlags,
  targets: CheckTargets,
  context: CommandContext,
): Promise<ExitCode> {
  const { report, header } = await auditProject(project, checkContextOf(context))
  const output = {
    lines: (screen: Screen) => auditLines(report, header, { ...screen, verbose: flags.verbose === true }),
    json: auditJson(report, header),
  }
  await printCheck(output, targets, context)
  return report.findings.length === 0 ? 0 : 1
}

/** Prints how often verdicts change after an edit that changes nothing. Exits with 1 if any did. */
async function printNullEdit(
  project: SqlProject,
  { trials = defaultTrials }: AuditFlags,
  targets: CheckTargets,
  context: CommandContext,
): Promise<ExitCode> {
  const { runNullEdit } = await import('../../app/checks/null-edit.js')
  const report = await runNullEdit(project, trials, checkContextOf(context))
  const output = {
    lines: (screen: Screen) => nullEditLines(report, screen),
    json: nullEditJson(report),
  }
  await printCheck(output, targets, context)
  return report.cases.some(isNoisy) ? 1 : 0
}
