import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { Sandbox, SandboxAccess } from './sandbox-access.js'

export interface SandboxedStart {
  readonly sandbox: Sandbox
  readonly command: readonly string[]
  readonly access: SandboxAccess
  readonly env: Readonly<Record<string, string>>
}

/** A program in a sandbox, and how to end it with all that it started. */
export interface SandboxedProcess {
  readonly child: ChildProcessWithoutNullStreams
  end(): void
}

/** How long what looks after a program may take to end what that left behind. */
const endMs = 2000

/**
 * Starts a command in a sandbox, in a session of its own. It has three pipes, and nothing else of this program: a file or terminal of the user's would be a
 * right to change its mode or to type into it.
 */
export function startSandboxed({ sandbox, command, access, env }: SandboxedStart): SandboxedProcess {
  const [program = '', ...args] = sandbox.wrap(command, access)
  const { workspace, cwd = workspace } = access
  const child = spawn(program, args, {
    cwd,
    env: { ...env, ...sandbox.environment(access) },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const signal = (pid: number, by: NodeJS.Signals): void => {
    try {
      process.kill(pid, by)
    } catch {
      // It has ended already.
    }
  }
  let ending: NodeJS.Timeout | undefined
  child.on('exit', () => {
    clearTimeout(ending)
    // bubblewrap may end while the process that it has just forked still waits for it, and holds the pipes.
    if (child.pid !== undefined) signal(-child.pid, 'SIGKILL')
  })
  return {
    child,
    end() {
      const { pid } = child
      if (pid === undefined || ending !== undefined || child.exitCode !== null || child.signalCode !== null)
        return
      signal(pid, 'SIGTERM')
      ending = setTimeout(() => signal(-pid, 'SIGKILL'), endMs)
    },
  }
}
