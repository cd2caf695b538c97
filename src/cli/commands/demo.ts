import { checkDriftExpectations, type DriftResult } from '../../app/demo/drift-expectations.js'
import { prepareDemo } from '../../app/demo/prepare-demo.js'
import type { ExitCode } from '../../app/exit-code.js'
import type { CommandContext } from '../command-context.js'
import { runInTerminal } from '../run/run-in-terminal.js'

/**
 * Copies the sample into a scratch repository, applies the drifts, runs the real loop there, and checks the
 * documented outcomes.
 */
export async function demoCommand(
  flags: { readonly dir?: string | undefined },
  context: CommandContext,
): Promise<ExitCode> {
  const { terminal } = context
  const { dir, drifts } = await prepareDemo(flags.dir, context.cwd)
  terminal.out(`A copy of the sample project is in ${dir}`)
  terminal.out(`${drifts.length} drifts were applied to it (docs/demo.md):`)
  for (const drift of drifts) terminal.out(`  ${drift.title}`)
  terminal.out('')
  const { detail, interrupted } = await runInTerminal({ reporter: ['console'] }, { ...context, cwd: dir })
  if (interrupted) return 130
  const promises = checkDriftExpectations(drifts, detail)
  terminal.out('')
  for (const line of driftExpectationLines(promises)) terminal.out(line)
  terminal.out('')
  const look = detail.run.decision === 'committed' ? 'git log --stat' : 'git diff'
  terminal.out(`Inspect it: cd ${dir} && ${look} · nothing else was changed`)
  return promises.every((promise) => promise.kept) ? 0 : 1
}

function driftExpectationLines(promises: readonly DriftResult[]): string[] {
  const kept = promises.filter((promise) => promise.kept).length
  return [
    `${kept} of ${promises.length} drifts ended as expected`,
    ...promises.map(({ drift, kept: ok, outcome }) => `  ${ok ? '✓' : '✗'} ${drift.title}: ${outcome}`),
  ]
}
