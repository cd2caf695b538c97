import { realpath } from 'node:fs/promises'
import { databasePath } from '../../app/project/project.js'
import { recoverBeforeReading } from '../../app/project/with-project-lock.js'
import { writeProjectFiles } from '../../app/project/write-project-files.js'
import { projectRoles } from '../../app/roles/project-roles.js'
import { recordRefusals } from '../../app/roles/record-refusals.js'
import { runRoleCommand } from '../../app/roles/role-sandbox.js'
import { sourceExtensions } from '../../edit/allowed-path.js'
import { AutotestError } from '../../errors.js'
import { plural } from '../../report/format-text.js'
import { roleNamed } from '../../roles/role.js'
import type { CommandContext } from '../command-context.js'

export interface SandboxFlags {
  readonly role: string
  /** Seconds. */
  readonly timeout: number
  readonly command?: readonly string[] | undefined
  /** The command's name, and what follows `--`. */
  readonly _?: readonly (string | number)[] | undefined
  readonly config?: string | undefined
}

const interruptedCode = 130
/** A day. */
const mostSeconds = 86_400

/** Runs a command with the rights of a role, and brings back what it may write. Returns the command's exit code; 1 where it is 0 and something was refused. */
export async function sandboxCommand(flags: SandboxFlags, context: CommandContext): Promise<number> {
  const { terminal, cwd, env, signal, now } = context
  const command = [...(flags.command ?? []), ...(flags._ ?? []).slice(1)].map(String)
  if (command.length === 0)
    throw new AutotestError('usage', 'no command is named', {
      hint: 'Put it after --: autotest sandbox --role coder -- pytest -q',
    })
  const { config, roles } = await projectRoles(cwd, flags.config)
  const root = await realpath(config.root)
  const role = roleNamed(flags.role, roles)
  await recoverBeforeReading(root, (text) => terminal.err(`note     ${text}`))
  if (!(flags.timeout > 0 && flags.timeout <= mostSeconds))
    throw new AutotestError('usage', `--timeout must be a number of seconds up to ${mostSeconds}`, {
      hint: 'For example: autotest sandbox --timeout 1800 --role coder -- make test',
    })
  const timeoutMs = flags.timeout * 1000
  const streams = { input: process.stdin, output: process.stdout, errors: process.stderr }
  const start = {
    ...{ role, root, cwd: await realpath(cwd), command, env, python: config.tests.python },
    onNote: (text: string) => terminal.err(`note     ${text}`),
    onSandbox({ open, description }: { open: readonly string[]; description: string }) {
      if (open.length > 0) terminal.err(`note     ${description}`)
    },
  }
  const result = await runRoleCommand({ ...start, timeoutMs, streams, signal })
  let kept = false
  try {
    const { changes, refused, exitCode, isLate } = result
    if (signal.aborted) {
      // The partial work of an interrupted command is discarded.
      terminal.err('interrupted: the command was ended, and nothing that it wrote was taken over')
      return interruptedCode
    }
    if (isLate) {
      const ended = `the command was ended after ${flags.timeout} s (--timeout)`
      terminal.err(`${ended}, and nothing that it wrote was taken over`)
      return exitCode
    }
    for (const { path, reason } of refused) terminal.err(`refused  ${path}: ${reason}`)
    const rows = refused.map((each) => ({ ...each, root, role: role.name, source: 'sandbox' as const }))
    const unrecorded = await recordRefusals(databasePath({ cwd }, config), rows, now)
    if (unrecorded !== undefined) terminal.err(`warning  the refusals are not recorded: ${unrecorded}`)
    try {
      const run = `sandbox-${now().getTime().toString(36)}`
      await writeProjectFiles(changes, { root, run, extensions: sourceExtensions, now })
    } catch (error) {
      kept = true
      terminal.err(`what the command wrote was not taken over, and lies in ${result.folder}`)
      throw error
    }
    if (changes.length > 0) {
      const names = changes.map(({ path }) => path).join(', ')
      terminal.err(`${plural(changes.length, 'file')} written by ${role.name}: ${names}`)
    }
    return exitCode === 0 && refused.length > 0 ? 1 : exitCode
  } finally {
    if (!kept) await result.dispose()
  }
}
