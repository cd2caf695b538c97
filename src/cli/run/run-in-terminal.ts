import { type PerformedRun, performRun } from '../../app/run/perform-run.js'
import type { CommandContext } from '../command-context.js'
import type { RunFlags } from '../flags.js'
import { runRequestFrom } from '../request-from-flags.js'
import { createRunPrinter } from './print-run.js'
import { createDecisionPrompt } from './prompt-decision.js'

/** Performs one run with output for a user: progress, summary, and the question about the repairs. */
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
