import { spawn } from 'node:child_process'

export interface ProgramLimits {
  readonly deadlineMs: number
  /** Longest time without output. */
  readonly silenceMs?: number
  /** Whether what the program started is ended with it; Ctrl-C in a terminal does not reach such a group. */
  readonly isGroup: boolean
}

export interface ProgramEnd {
  readonly end: 'exit' | 'deadline' | 'silence'
  /** Null if a signal ended it. */
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** What a descendant that holds the output open may still have to say after its parent ended. */
const graceMs = 100

/** Runs a program without input until it exits or passes a limit. Rejects if it cannot be started. */
export async function runProgram(
  program: string,
  args: readonly string[],
  limits: ProgramLimits,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<ProgramEnd> {
  const child = spawn(program, args, {
    cwd,
    env,
    detached: limits.isGroup,
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  })
  const output = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  let end: ProgramEnd['end'] = 'exit'
  const endFor = (why: 'deadline' | 'silence'): void => {
    end = why
    if (limits.isGroup && child.pid !== undefined) killGroup(child.pid)
    // An act removes its locks when it is told to end.
    else child.kill('SIGTERM')
  }
  const deadline = setTimeout(endFor, limits.deadlineMs, 'deadline')
  const { silenceMs } = limits
  let silence = silenceMs === undefined ? undefined : setTimeout(endFor, silenceMs, 'silence')
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      output[name].push(chunk)
      silence = silence?.refresh()
    })
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', resolve)
      // A hook that was left behind may hold the output for ever.
      child.once('exit', (code) => {
        if (end !== 'exit') setTimeout(resolve, graceMs, code)
      })
    })
    return { end, exitCode, stdout: textOf(output.stdout), stderr: textOf(output.stderr) }
  } finally {
    clearTimeout(deadline)
    clearTimeout(silence)
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString()
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // It ended in the meantime.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
