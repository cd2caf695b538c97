import type { ExitCode } from '../../app/exit-code.js'
import { findProject } from '../../app/project/find-project.js'
import { readRegistry, registryFile, writeRegistry } from '../../app/registry/registry.js'
import { registryWithRuns } from '../../app/registry/registry-with-runs.js'
import { syncRegistry } from '../../app/registry/sync-registry.js'
import { openTestingSession } from '../../app/testgen/testing-session.js'
import { plural } from '../../report/format-text.js'
import type { CommandContext } from '../command-context.js'
import type { RegistryFlags } from '../testgen-flags.js'

/** Prints which tests belong to which function. */
export async function listRegistryCommand(
  _flags: RegistryFlags,
  { terminal, cwd, now }: CommandContext,
): Promise<ExitCode> {
  const registry = await registryWithRuns(await findProject(cwd), now)
  if (registry.size === 0)
    terminal.out('No function is known to have tests: autotest registry sync looks for them.')
  for (const [name, { testFile, testNames, lastRun }] of registry) {
    const run = lastRun === undefined ? '' : `, ${lastRun.status} ${lastRun.runAt.slice(0, 10)}`
    terminal.out(`${name}  ${testFile}: ${plural(testNames.length, 'test')}${run}`)
  }
  return 0
}

/** Writes the registry anew from the tests that are there. */
export async function syncRegistryCommand(flags: RegistryFlags, context: CommandContext): Promise<ExitCode> {
  const { terminal, cwd, env, signal } = context
  const root = await findProject(cwd)
  const before = await readRegistry(root).catch((error: unknown) => {
    // It is rebuilt from the files; what it said of them cannot be read.
    terminal.err(`warning  ${error instanceof Error ? error.message : String(error)}`)
    return new Map()
  })
  const session = await openTestingSession({ root, python: flags.python, unsandboxed: false, env, signal })
  try {
    const { registry, added, renamed, removed, unread } = await syncRegistry(before, session)
    for (const path of unread) terminal.err(`warning  ${path} cannot be read, and is left out`)
    for (const name of added) terminal.out(`added    ${name}`)
    for (const [from, to] of renamed) terminal.out(`renamed  ${from} → ${to}`)
    for (const name of removed) terminal.out(`removed  ${name}`)
    const written = await writeRegistry(root, registry)
    terminal.out(
      `${plural(registry.size, 'function')} with tests · ${registryFile} ${written ? 'written' : 'unchanged'}`,
    )
    return 0
  } finally {
    await session.close()
  }
}
