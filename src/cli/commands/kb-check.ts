import { withComponents } from '../../app/compose.js'
import type { ExitCode } from '../../app/exit-code.js'
import { checkKnowledge } from '../../app/project/check-knowledge.js'
import { withProjectParseCache } from '../../app/project/parse-cache-lifecycle.js'
import { loadConfig } from '../../config/load.js'
import type { LintReport } from '../../lint/lint.js'
import { lintLines } from '../../report/console/lint.js'
import { lintJson } from '../../report/lint-json.js'
import { loadSnapshot } from '../../snapshot/load.js'
import { loadSqlParser } from '../../sql/parser.js'
import { type CheckDescription, checkFiles, interruptedCheck, printCheck } from '../check-output.js'
import type { CommandContext } from '../command-context.js'
import type { KbCheckFlags } from '../flags.js'

const kbCheck: CheckDescription = { name: 'a check', example: 'kb.json' }

/** What is wrong with the knowledge base, without a benchmark and without an agent. Exit 1 where there is an error. */
export async function kbCheckCommand(flags: KbCheckFlags, context: CommandContext): Promise<ExitCode> {
  const files = await checkFiles(flags.output, kbCheck, context.cwd)
  const { report, engine } = await check(flags, context).catch((error: unknown) => {
    throw context.signal.aborted ? interruptedCheck(kbCheck, error) : error
  })
  const output = {
    lines: (screen: Parameters<typeof lintLines>[2]) => lintLines(report, engine, screen),
    json: lintJson(report, engine),
  }
  await printCheck(output, { reporter: flags.reporter, files }, context)
  return report.findings.some(({ severity }) => severity === 'error') ? 1 : 0
}

async function check(
  flags: KbCheckFlags,
  { cwd, terminal, signal, now }: CommandContext,
): Promise<{ readonly report: LintReport; readonly engine: string }> {
  const { kb, engine } = flags
  const configured = await loadConfig({ cwd, file: flags.config, overrides: { kb, engine } })
  // No agent is asked, so that none is started.
  const config = { ...configured, agent: { kind: 'template' } as const }
  const { snapshot, problems } = await loadSnapshot(config.root, [config.kb])
  if (problems.length === 0)
    await checkKnowledge(snapshot, config, 'Set `kb` in autotest.config.yaml, or give --kb, to its folder.')
  const note = (text: string): void => terminal.err(`note  ${text}`)
  if (config.engine === undefined) note('no engine is configured: queries are parsed, not explained')
  const options = { config, today: now().toISOString().slice(0, 10), onProgress: note }
  const lint = (): Promise<{ readonly report: LintReport; readonly engine: string }> =>
    withComponents(options, signal, async ({ engine: opened, evaluator, limits }) => {
      const { lintKnowledge } = await import('../../lint/lint.js')
      const report = await lintKnowledge(snapshot, config.kb, {
        parser: await loadSqlParser(),
        dialect: evaluator.agentDialect,
        engine: opened,
        limits,
        readsData: flags.data === true,
        unread: problems,
      })
      return { report, engine: opened?.url ?? 'no engine' }
    })
  return withProjectParseCache(config.root, lint)
}
