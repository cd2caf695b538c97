import type { ExitCode } from '../../app/exit-code.js'
import { findProject, pathInProject } from '../../app/project/find-project.js'
import { scoreMutants } from '../../app/testgen/score-mutants.js'
import { openTestingSession } from '../../app/testgen/testing-session.js'
import { AutotestError } from '../../errors.js'
import { mutantCounts, mutantLines, survivorLines } from '../../report/console/mutants.js'
import { oneLine } from '../../report/format-text.js'
import type { CommandContext } from '../command-context.js'
import { environmentLine } from '../testgen/session-output.js'
import type { MutantsFlags } from '../testgen-flags.js'

/** Shows which small changes of a function its tests do not notice. */
export async function mutantsCommand(flags: MutantsFlags, context: CommandContext): Promise<ExitCode> {
  const { terminal, cwd, env, signal } = context
  const root = await findProject(cwd)
  const target = await pathInProject(flags.target, cwd, root)
  const [path = '', qualname] = target.split('::')
  if (qualname === undefined)
    throw new AutotestError('usage', `${flags.target} names no function`, {
      hint: 'Give FILE::FUNCTION, or FILE::Class.method.',
    })
  const tests = await Promise.all((flags.tests ?? []).map((typed) => pathInProject(typed, cwd, root)))
  const unsandboxed = flags.unsandboxed === true
  const session = await openTestingSession({ root, python: flags.python, unsandboxed, env, signal })
  try {
    terminal.out(environmentLine('mutants', session))
    terminal.status(`${path}::${qualname}`)
    const { score, testFiles } = await scoreMutants(session, path, qualname, tests)
    terminal.status('')

    for (const { test, message } of score.left_out ?? [])
      terminal.out(`  ${test}: is skipped as a whole, and notices nothing: ${oneLine(message)}`)
    const isSkipped = (outcome: string): boolean => ['skipped', 'xfailed', 'xpassed'].includes(outcome)
    for (const { test, outcome } of score.reference)
      if (isSkipped(outcome))
        terminal.out(`  ${test}: is ${outcome} on the function as it is, and notices nothing`)
    const failing = score.reference.filter(({ outcome }) => outcome !== 'passed' && !isSkipped(outcome))
    for (const { test, message } of failing)
      terminal.out(`  ${test}: fails on the function as it is: ${oneLine(message ?? 'no message')}`)
    if (flags.all === true)
      for (const mutant of score.mutants.filter(({ outcome }) => outcome === 'killed'))
        for (const line of mutantLines(mutant, `killed by ${mutant.by?.split('::').at(-1)}`, terminal))
          terminal.out(line)
    for (const line of survivorLines(score.mutants, terminal, Number.POSITIVE_INFINITY)) terminal.out(line)
    const reached = score.executable_lines.filter((line) => score.lines.includes(line)).length
    terminal.out(
      `${path}::${qualname}  ${testFiles.join(', ')}  ${mutantCounts(score.mutants)}  ${reached} of ${score.executable_lines.length} lines reached`,
    )
    return failing.length > 0 || score.mutants.some(({ outcome }) => outcome !== 'killed') ? 1 : 0
  } finally {
    terminal.status('')
    await session.close()
  }
}
