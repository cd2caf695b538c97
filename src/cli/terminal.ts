import { setTimeout as pause } from 'node:timers/promises'
import { withoutRunnerCommands } from '../text/runner-commands.js'
import type { Redactor } from '../text/secrets.js'
import { withShownControls } from '../text/shown-controls.js'

/** Output and input of a program; tests provide their own. */
export interface Terminal {
  /** Lines of the report, to standard output. */
  out(text: string): void
  /** A command for the build runner that reads the log, to standard output. */
  command(text: string): void
  /** Errors and warnings, to standard error. */
  err(text: string): void
  /** Shows a line that the next one replaces; does nothing without a terminal. */
  status(text: string): void
  /**
   * Shows the prompt, of one line or several, and returns one typed line; undefined if nobody can answer or
   * the input ended.
   */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>
  readonly interactive: boolean
  readonly color: boolean
  readonly width: number
}

/** Returns the same terminal, with secrets removed from all output, and from a log what its reader would obey. */
export function withSafeOutput(terminal: Terminal, redact: Redactor): Terminal {
  const shown = (text: string): string => withShownControls(redact(text))
  const safe = (text: string): string =>
    terminal.interactive ? shown(text) : withoutRunnerCommands(shown(text))
  return {
    out: (text) => terminal.out(safe(text)),
    command: (text) => terminal.command(redact(text)),
    err: (text) => terminal.err(safe(text)),
    status: (text) => terminal.status(shown(text)),
    ask: (prompt, signal) => terminal.ask(shown(prompt), signal),
    interactive: terminal.interactive,
    color: terminal.color,
    get width() {
      return terminal.width
    },
  }
}

/** Width of output that is not a terminal. */
const defaultWidth = 100

/** Returns the width. Some terminals report 0 columns because they were not initialised. */
function columnsOf({ columns }: { readonly columns?: number }): number {
  return columns === undefined || columns === 0 ? defaultWidth : columns
}

/**
 * Returns the process's own terminal. A closed reader (`| head`) ends the output, not the run; a full disk,
 * on which the report would be lost, ends the program.
 */
export function processTerminal(env: NodeJS.ProcessEnv): Terminal {
  const { stdin, stdout, stderr } = process
  const interactive = stdout.isTTY === true && stdin.isTTY === true && env['CI'] === undefined
  let closed = false
  let statusShown = false
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    closed = true
    if (error.code === 'EPIPE') return
    stderr.write(`error  standard output cannot be written: ${error.message}\n`)
    process.exit(3)
  })
  const clearStatus = (): void => {
    if (statusShown) stdout.write('\r\u001B[2K')
    statusShown = false
  }
  const out = (text: string): void => {
    if (closed) return
    clearStatus()
    stdout.write(`${text}\n`)
  }
  return {
    interactive,
    color: stdout.isTTY === true && env['NO_COLOR'] === undefined && env['TERM'] !== 'dumb',
    get width() {
      return columnsOf(stdout)
    },
    out,
    command: out,
    err(text) {
      clearStatus()
      stderr.write(`${text}\n`)
    },
    status(text) {
      if (!interactive || closed) return
      clearStatus()
      if (text === '') return
      stdout.write(text.slice(0, Math.max(1, columnsOf(stdout) - 1)))
      statusShown = true
    },
    async ask(prompt, signal) {
      if (!interactive) return undefined
      clearStatus()
      await discardTypeahead(stdin)
      const above = prompt.lastIndexOf('\n') + 1
      stdout.write(prompt.slice(0, above))
      const { createInterface } = await import('node:readline/promises')
      const lines = createInterface({ input: stdin, output: stdout })
      try {
        const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)))
        // While a line is read, the terminal sends Ctrl-C to the reader and not to the process.
        lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
        const answer = await Promise.race([lines.question(prompt.slice(above), { signal }), ended])
        if (answer === undefined) stdout.write('\n')
        return answer
      } catch (error) {
        if (!signal.aborted) throw error
        stdout.write('\n')
        return undefined
      } finally {
        lines.close()
      }
    },
  }
}

/** Earlier input is in the terminal's queue and arrives immediately. */
const typeaheadMs = 30

/**
 * Discards input typed before the question was shown: a `y` was meant for whatever was on the screen then.
 */
async function discardTypeahead(stdin: NodeJS.ReadStream): Promise<void> {
  const drop = (typed: Buffer): void => {
    // In raw mode, the terminal generates no signal for Ctrl-C.
    if (typed.includes(0x03)) process.kill(process.pid, 'SIGINT')
  }
  stdin.setRawMode(true)
  stdin.on('data', drop)
  stdin.resume()
  await pause(typeaheadMs)
  stdin.off('data', drop)
  stdin.pause()
  stdin.setRawMode(false)
}
