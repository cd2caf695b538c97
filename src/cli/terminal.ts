import { setTimeout as pause } from 'node:timers/promises'
import type { Redactor } from '../text/secrets.js'

/** Where output goes and answers come from; tests give their own. */
export interface Terminal {
  /** Lines of the report, to standard output. */
  out(text: string): void
  /** Errors and warnings, to standard error. */
  err(text: string): void
  /** A line that the next one replaces; nothing where there is no terminal. */
  status(text: string): void
  /** One line typed after the prompt, of one line or several, was shown; undefined where nobody can answer or the input ended. */
  ask(prompt: string, signal: AbortSignal): Promise<string | undefined>
  readonly interactive: boolean
  readonly color: boolean
  readonly width: number
}

/** The same terminal, which shows no secret whoever writes to it. */
export function withRedaction(terminal: Terminal, redact: Redactor): Terminal {
  return {
    out: (text) => terminal.out(redact(text)),
    err: (text) => terminal.err(redact(text)),
    status: (text) => terminal.status(redact(text)),
    ask: (prompt, signal) => terminal.ask(redact(prompt), signal),
    interactive: terminal.interactive,
    color: terminal.color,
    get width() {
      return terminal.width
    },
  }
}

/** Where the output is no terminal. */
const defaultWidth = 100

/** Some terminals say that they have no columns: they have not been told. */
function columnsOf({ columns }: { readonly columns?: number }): number {
  return columns === undefined || columns === 0 ? defaultWidth : columns
}

/**
 * The process's own terminal. A reader that went away (`| head`) ends the output, not the run; a full disk, whose report
 * nobody would ever see, ends the program.
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
  return {
    interactive,
    color: stdout.isTTY === true && env['NO_COLOR'] === undefined && env['TERM'] !== 'dumb',
    get width() {
      return columnsOf(stdout)
    },
    out(text) {
      if (closed) return
      clearStatus()
      stdout.write(`${text}\n`)
    },
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
        // While a line is read, the terminal gives Ctrl-C to the reader and not to the process.
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

/** Earlier input is in the terminal's queue and arrives at once. */
const typeaheadMs = 30

/** A `y` from before the question was shown answers nothing: it was meant for whatever was on the screen then. */
async function discardTypeahead(stdin: NodeJS.ReadStream): Promise<void> {
  const drop = (typed: Buffer): void => {
    // Raw, the terminal makes no signal of Ctrl-C.
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
