import { commandGroups } from './help/command-groups.js'
import type { Terminal } from './terminal.js'

const afterMs = 2000

/** Commands that show their own progress, or give the terminal to somebody else. */
const withOwnProgress = new Set(['demo', 'mcp', 'serve', 'sandbox', 'guard', 'tdd'])

/**
 * Returns a terminal that says what a command does once nothing was shown for two seconds, and for how long it has; it is
 * silent again with the first output. A run, which shows its progress itself, is not concerned.
 */
export function withWaitingStatus(
  terminal: Terminal,
  name: string | undefined,
): { readonly terminal: Terminal; readonly end: () => void } {
  const purpose = commandGroups
    .flatMap(({ commands }) => commands)
    .find((command) => command.name === name)?.purpose
  if (!terminal.interactive || purpose === undefined || withOwnProgress.has(name ?? ''))
    return { terminal, end: () => undefined }
  const started = process.hrtime.bigint()
  let quietSince = started
  let asking = false
  const timer = setInterval(() => {
    const now = process.hrtime.bigint()
    if (asking || Number(now - quietSince) / 1e6 < afterMs) return
    terminal.status(` autotest ${name}: ${purpose} · ${Math.round(Number(now - started) / 1e9)} s`)
  }, 1000)
  timer.unref()
  const shown = <Arguments extends unknown[]>(show: (...given: Arguments) => void) => {
    return (...given: Arguments): void => {
      quietSince = process.hrtime.bigint()
      show(...given)
    }
  }
  return {
    terminal: {
      out: shown(terminal.out),
      command: shown(terminal.command),
      err: shown(terminal.err),
      status: shown(terminal.status),
      async ask(prompt, signal) {
        asking = true
        try {
          return await terminal.ask(prompt, signal)
        } finally {
          asking = false
          quietSince = process.hrtime.bigint()
        }
      },
      interactive: terminal.interactive,
      color: terminal.color,
      get width() {
        return terminal.width
      },
    },
    end() {
      clearInterval(timer)
      terminal.status('')
    },
  }
}
