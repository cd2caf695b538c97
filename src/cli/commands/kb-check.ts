import { checkKnowledgeBase } from '../../app/checks/check-knowledge-base.js'
import type { ExitCode } from '../../app/exit-code.js'
import { lintLines } from '../../report/console/lint.js'
import { lintJson } from '../../report/lint-json.js'
import { type CheckDescription, checkContextOf, checkFiles, printCheck } from '../check-output.js'
import type { CommandContext } from '../command-context.js'
import type { KbCheckFlags } from '../kb-check-flags.js'

const kbCheck: CheckDescription = { name: 'a check', example: 'kb.json' }

/** Checks the knowledge base, without a benchmark and without an agent. Exits with 1 if there is an error. */
export async function kbCheckCommand(flags: KbCheckFlags, context: CommandContext): Promise<ExitCode> {
  const files = await checkFiles(flags.output, kbCheck, context.cwd)
  const { config, kb, engine: named } = flags
  const request = {
    cwd: context.cwd,
    config,
    kb,
    engine: named,
    readsData: flags.data === true,
    files: flags.files,
    catalogue: flags.catalogue,
    saveCatalogue: flags['save-catalogue'],
    isRunRemotely: flags.run,
    dialect: flags.dialect,
  }
  const { report, engine, entries } = await checkKnowledgeBase(request, checkContextOf(context))
  const output = {
    lines: (screen: Parameters<typeof lintLines>[2]) => lintLines(report, engine, screen, entries),
    json: lintJson(report, engine, entries),
  }
  await printCheck(output, { reporter: flags.reporter, files }, context)
  return report.findings.some(({ severity }) => severity === 'error') ? 1 : 0
}
