import type { ExitCode } from '../../app/exit-code.js'
import { findProject, pathInProject } from '../../app/project/find-project.js'
import { recoverBeforeReading } from '../../app/project/with-project-lock.js'
import { recordGenerated } from '../../app/registry/record-generated.js'
import { readRegistry, writeRegistry } from '../../app/registry/registry.js'
import { functionTargets } from '../../app/testgen/function-targets.js'
import { type Generated, generateTests } from '../../app/testgen/generate-tests.js'
import { testSettings } from '../../app/testgen/test-settings.js'
import { openTestingSession } from '../../app/testgen/testing-session.js'
import { writeTestFiles } from '../../app/testgen/write-test-files.js'
import { AutotestError } from '../../errors.js'
import { changedLines } from '../../git/list-files.js'
import { mutantCounts, survivorLines } from '../../report/console/mutants.js'
import { oneLine, plural } from '../../report/format-text.js'
import { besideSource } from '../../testgen/test-path.js'
import type { CommandContext } from '../command-context.js'
import { environmentLine } from '../testgen/session-output.js'
import type { GenerateFlags } from '../testgen-flags.js'

/** Writes unit tests for Python functions without a model. */
export async function generateCommand(flags: GenerateFlags, context: CommandContext): Promise<ExitCode> {
  const { terminal, cwd, env, signal, now } = context
  const { seconds = 2, seed = 1 } = flags
  if (!(seconds > 0 && seconds <= 600))
    throw new AutotestError('usage', `--seconds must be more than 0 and at most 600, not ${seconds}`)
  const root = await findProject(cwd)
  await recoverBeforeReading(root, (text) => terminal.err(`note     ${text}`))
  const names = await Promise.all((flags.targets ?? []).map((typed) => pathInProject(typed, cwd, root)))
  const given = flags['tests-dir']
  const settings = await testSettings(root)
  const folder =
    given === undefined
      ? settings.folder
      : given === besideSource
        ? given
        : await pathInProject(given, cwd, root)
  const changed = flags.changed === true ? await changedLines(root, '.py') : undefined
  const session = await openTestingSession({
    root,
    python: flags.python ?? settings.python,
    unsandboxed: flags.unsandboxed === true,
    env,
    signal,
  })
  try {
    terminal.out(environmentLine('generate', session))
    const { targets, skipped } = await functionTargets(names, changed, session)
    for (const { reason } of skipped) terminal.err(`warning  left out: ${oneLine(reason)}`)
    if (targets.length === 0)
      throw new AutotestError('no_case_matched', 'no function matched', {
        hint:
          changed === undefined
            ? 'Private functions are taken only when named: FILE::FUNCTION.'
            : 'Nothing that differs from the last commit is within a public function.',
      })
    const generated = await generateTests(session, targets, {
      testsFolder: folder,
      seconds,
      seed,
      onProgress: (text) => terminal.status(text),
    })
    terminal.status('')
    printFunctions(generated, context)
    const dryRun = flags['dry-run'] === true
    if (!dryRun) {
      // In this order, who is killed in between has no tests that the registry does not know; the next run writes them.
      const recorded = await readRegistry(root)
      await recordGenerated(session, generated, now)
      await writeTestFiles(root, generated.files, now).catch(async (error: unknown) => {
        await writeRegistry(root, recorded)
        throw error
      })
    }
    printFiles(generated, dryRun, context)
    return generated.functions.some(({ problem, suspects }) => problem !== undefined || suspects.length > 0)
      ? 1
      : 0
  } finally {
    terminal.status('')
    await session.close()
  }
}

function printFunctions({ functions }: Generated, { terminal }: CommandContext): void {
  for (const { target, testFile, names, mutants, problem, suspects, hints, dependent } of functions) {
    const name = `${target.path}::${target.description.qualname}`
    if (problem !== undefined) {
      const alive = mutants.length === 0 ? '' : ` (${plural(mutants.length, 'mutant')})`
      terminal.out(`  ${name}: no tests: ${oneLine(problem)}${alive}`)
    } else if (names.length === 0)
      terminal.out(
        `  ${name}: no new tests, ${mutantCounts(mutants)} by those that are already in ${testFile}`,
      )
    else terminal.out(`  ${name}: ${plural(names.length, 'test')}, ${mutantCounts(mutants)}`)
    for (const suspect of suspects) terminal.out(`     suspect   ${oneLine(suspect)}`)
    for (const hint of hints) terminal.out(`     hint      ${oneLine(hint)}`)
    if (problem === undefined) {
      for (const { name: test, reason } of dependent)
        terminal.out(`     left out  ${test}: ${oneLine(reason)}`)
      for (const line of survivorLines(mutants, terminal)) terminal.out(line)
    }
  }
}

function printFiles({ functions, files }: Generated, dryRun: boolean, { terminal }: CommandContext): void {
  for (const { path, before, after } of files) {
    const lines = after.split('\n').length - (before ?? '').split('\n').length
    const what = before === undefined ? 'new' : 'extended'
    terminal.out(`${dryRun ? 'would write' : 'wrote'} ${path} (${what}, ${plural(lines, 'line')})`)
    if (dryRun) terminal.out(before === undefined ? after : addedPart(before, after))
  }
  const tests = functions.reduce((sum, { names }) => sum + names.length, 0)
  const mutants = functions.flatMap((each) => each.mutants)
  terminal.out(
    `${plural(functions.length, 'function')}  ${plural(tests, 'new test')}  ${mutantCounts(mutants)}`,
  )
  if (tests > 0)
    terminal.out(
      'Characterization tests: they hold what the code does today. Read them before you keep them.',
    )
}

/** Returns what was added to a file: its imports may have changed, too. */
function addedPart(before: string, after: string): string {
  const known = new Set(before.split('\n'))
  const lines = after.split('\n')
  const first = lines.findIndex((line) => line.startsWith('def test_') && !known.has(line))
  return lines.slice(Math.max(0, first)).join('\n')
}
