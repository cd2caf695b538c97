import type { ExitCode } from '../../app/exit-code.js'
import { mergeShards } from '../../app/merge/merge-shards.js'
import { AutotestError } from '../../errors.js'
import type { RunMode } from '../../store/record-types.js'
import { parseCommaList } from '../../text/comma-list.js'
import type { CommandContext } from '../command-context.js'
import { createRunPrinter } from '../run/print-run.js'
import { createDecisionPrompt } from '../run/prompt-decision.js'
import type { MergeFlags } from '../store-flags.js'

export async function mergeCommand(flags: MergeFlags, context: CommandContext): Promise<ExitCode> {
  const { terminal, cwd, env, signal, now } = context
  const { exitCode } = await mergeShards(
    {
      cwd,
      config: flags.config,
      db: flags.db,
      folders: flags.folders ?? [],
      reports: parseCommaList(flags.output),
      mode: modeFrom(flags),
      timings: flags.timings === true,
      commit: flags.yes === true ? 'always' : flags['no-commit'] === true ? 'never' : 'ask',
    },
    {
      listener: createRunPrinter(flags, context),
      decide: terminal.interactive ? createDecisionPrompt(context) : undefined,
      env,
      signal,
      now,
    },
  )
  return exitCode
}

function modeFrom(flags: MergeFlags): RunMode {
  if (flags.repair === true && flags['dry-run'] === true)
    throw new AutotestError('usage', '--repair and --dry-run cannot be combined', {
      hint: 'Use only one of them.',
    })
  if (flags.repair === true) return 'repair'
  return flags['dry-run'] === true ? 'dry_run' : 'evaluate'
}
