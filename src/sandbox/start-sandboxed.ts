import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
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
  let started: readonly number[] = []
  child.on('exit', () => {
    clearTimeout(ending)
    // bubblewrap may end before the process that it has just forked knows that it is to end with it, and holds the pipes.
    if (child.pid !== undefined) signal(-child.pid, 'SIGKILL')
    for (const each of started) signal(each, 'SIGKILL')
  })
  return {
    child,
    end() {
      const { pid } = child
      if (pid === undefined || ending !== undefined || child.exitCode !== null || child.signalCode !== null)
        return
      // Stopped, it starts nothing between this look and its end.
      signal(pid, 'SIGSTOP')
      started = childrenOf(pid)
      signal(pid, 'SIGTERM')
      signal(pid, 'SIGCONT')
      ending = setTimeout(() => signal(-pid, 'SIGKILL'), endMs)
    },
  }
}

/** Returns the children of a process that is being stopped; none where the system does not list them. */
function childrenOf(pid: number): readonly number[] {
  try {
    for (
      let looks = 0;
      looks < 1000 && !/^State:\s+[TtZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
    )
      looks++
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .flatMap((each) => Number(each) || [])
  } catch {
    return []
  }
}
