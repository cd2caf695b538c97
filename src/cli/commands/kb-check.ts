import { extname, resolve } from 'node:path'
import { loadConfig } from '../../config/load.js'
import { AutotestError } from '../../errors.js'
import { lintJson, lintLines } from '../../report/console/lint.js'
import { prepareReportFolder, writeReportText } from '../../report/write.js'
import { loadSnapshot } from '../../snapshot/load.js'
import { loadSqlParser } from '../../sql/parser.js'
import { createRedactor } from '../../store/redact.js'
import type { CommandContext } from '../command-context.js'
import { composeParts } from '../compose.js'
import type { ExitCode } from '../exit-code.js'
import type { KbCheckFlags } from '../flags.js'
import { listOf } from '../project.js'

/** What is wrong with the knowledge base, without a benchmark and without an agent. Exit 1 where there is an error. */
export async function kbCheckCommand(flags: KbCheckFlags, context: CommandContext): Promise<ExitCode> {
  const { terminal, env, cwd } = context
  const files = listOf(flags.output).map((file) => jsonFile(file, cwd))
  for (const file of files) await prepareReportFolder(file)
  const { report, engine } = await check(flags, context)
  const redact = createRedactor(env)
  const json = redact(lintJson(report, engine))
  const reporters = flags.reporter ?? ['console']
  const screen = { width: terminal.width, color: terminal.color }
  if (reporters.includes('console'))
    for (const line of lintLines(report, engine, screen)) terminal.out(redact(line))
  if (reporters.includes('json')) terminal.out(json.trimEnd())
  for (const file of files) await writeReportText(file, json)
  return report.findings.some(({ severity }) => severity === 'error') ? 1 : 0
}

async function check(flags: KbCheckFlags, { cwd, terminal, signal, now }: CommandContext) {
  const { kb, engine } = flags
  const configured = await loadConfig({ cwd, file: flags.config, overrides: { kb, engine } })
  // No agent is asked, so that none is started.
  const config = { ...configured, agent: { kind: 'template' } as const }
  const { snapshot, problems } = await loadSnapshot(config.root, [config.kb])
  if (snapshot.files.size === 0 && problems.length === 0)
    throw new AutotestError('kb_missing', `the knowledge base ${config.kb} is missing or empty`, {
      hint: 'Set `kb` in autotest.config.yaml, or give --kb, to its folder.',
    })
  const note = (text: string): void => terminal.err(`note  ${text}`)
  if (config.engine === undefined) note('no engine is configured: queries are parsed, not explained')
  const parts = await composeParts({ config, today: now().toISOString().slice(0, 10), onProgress: note })
  const close = (): void => void parts.close()
  signal.addEventListener('abort', close)
  try {
    const { lintKnowledge } = await import('../../lint/lint.js')
    const report = await lintKnowledge(snapshot, config.kb, {
      parser: await loadSqlParser(),
      dialect: parts.evaluator.agentDialect,
      engine: parts.engine,
      limits: parts.limits,
      readsData: flags.data === true,
      unread: problems,
    })
    return { report, engine: parts.engine?.url ?? 'no engine' }
  } finally {
    signal.removeEventListener('abort', close)
    await parts.close()
  }
}

function jsonFile(file: string, cwd: string): string {
  if (extname(file).toLowerCase() === '.json') return resolve(cwd, file)
  throw new AutotestError('usage', `${file}: a check is written as .json only`, {
    hint: 'Name a file such as kb.json, or redirect what is printed.',
  })
}
