import { text as readAll } from 'node:stream/consumers'
import type { ExitCode } from '../../app/exit-code.js'
import { guardRequest } from '../../app/roles/guard-request.js'
import { messageOf } from '../../errors.js'
import type { CommandContext } from '../command-context.js'

/**
 * Answers on standard input whether an agent may use a tool. Everything that goes wrong ends with exit code 2: to a coding agent any other failure is a
 * permission.
 */
export async function guardCommand(
  { role, config }: { readonly role?: string | undefined; readonly config?: string | undefined },
  { terminal, cwd, now }: CommandContext,
): Promise<ExitCode> {
  try {
    const [program = ''] = process.argv.slice(1)
    const sandbox = [process.execPath, program, 'sandbox']
    const asked = { cwd, role, config, sandbox, now }
    const { out, err, code } = await guardRequest(await readAll(process.stdin), asked)
    terminal.out(out)
    if (err !== '') terminal.err(err)
    return code
  } catch (error) {
    terminal.err(`autotest guard: denied, as it cannot be judged: ${messageOf(error)}`)
    return 2
  }
}
