import { type PerformedRun, performRun } from '../../app/run/perform-run.js'
import type { CommandContext } from '../command-context.js'
import type { RunFlags } from '../flags.js'
import { runRequestFrom } from '../request-from-flags.js'
import { createRunPrinter } from './print-run.js'
import { createDecisionPrompt } from './prompt-decision.js'

/** One run as a user sees it: progress, summary, and the question what becomes of the repairs. */
export function runInTerminal(flags: RunFlags, context: CommandContext): Promise<PerformedRun> {
  const { terminal, cwd, env, signal, now } = context
  return performRun(runRequestFrom(flags, cwd), {
    listener: createRunPrinter(flags, context),
    decide: terminal.interactive ? createDecisionPrompt(context) : undefined,
    env,
    signal,
    now,
  })
}
