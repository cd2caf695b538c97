import { type Sample, sqlSample, testsSample } from '../../app/demo/copy-sample.js'
import { checkDriftExpectations, type DriftResult } from '../../app/demo/drift-expectations.js'
import { prepareDemo } from '../../app/demo/prepare-demo.js'
import type { ExitCode } from '../../app/exit-code.js'
import { unitTestPython } from '../../app/testgen/unit-test-python.js'
import { AutotestError } from '../../errors.js'
import type { CommandContext } from '../command-context.js'
import { runInTerminal } from '../run/run-in-terminal.js'

export interface DemoFlags {
  readonly dir?: string | undefined
  readonly domain?: 'sql' | 'tests' | undefined
}

/**
 * Copies a sample into a scratch repository, applies the drifts, runs the real loop there, and checks the documented
 * outcomes: of both samples, unless one is named. What unit tests need and this machine has not is said.
 */
export async function demoCommand(flags: DemoFlags, context: CommandContext): Promise<ExitCode> {
  const { dir } = flags
  // A folder has room for one sample.
  const domain = flags.domain ?? (dir === undefined ? undefined : 'sql')
  const { terminal } = context
  if (domain === 'sql') return showDemo(sqlSample, dir, context)
  const python = await unitTestPython(context.cwd, process.env)
  if (domain === 'tests' && python instanceof AutotestError) throw python
  const first = domain === 'tests' ? 0 : await showDemo(sqlSample, dir, context)
  if (first === 130) return first
  if (domain === undefined) terminal.out('')
  if (!(python instanceof AutotestError)) {
    const second = await showDemo(testsSample, dir, context, python.executable)
    return first === 0 ? second : first
  }
  terminal.out(`Unit tests for Python are left out: ${python.message}`)
  if (python.hint !== undefined) terminal.out(`  ${python.hint}`)
  return first
}

async function showDemo(
  sample: Sample,
  folder: string | undefined,
  context: CommandContext,
  python?: string,
): Promise<ExitCode> {
  const { terminal } = context
  const { dir, drifts } = await prepareDemo(sample, folder, context.cwd)
  const what = sample === testsSample ? 'Python sample' : 'sample project'
  terminal.out(`A copy of the ${what} is in ${dir}`)
  terminal.out(`${drifts.length} drifts were applied to it (docs/demo.md):`)
  for (const drift of drifts) terminal.out(`  ${drift.title}`)
  terminal.out('')
  const benchmark = sample.benchmark === undefined ? undefined : [sample.benchmark]
  // The copy has no virtual environment of its own.
  const flags = { reporter: ['console'], benchmark, python }
  const { detail, interrupted } = await runInTerminal(flags, { ...context, cwd: dir })
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
