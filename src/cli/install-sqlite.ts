import { spawn } from 'node:child_process'
import type { ExitCode } from '../app/exit-code.js'

/**
 * Compiles SQLite for an older Node when it is first needed. The installer prints its own progress, and in
 * one sentence why it fails. Not done when the package is installed: pnpm and npm run no scripts of packages
 * by default.
 */
export function installSqlite(installer: string, signal: AbortSignal): Promise<ExitCode> {
  const args = [installer, '--first-use']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'], signal })
  return new Promise((done, fail) => {
    child.on('error', (error) => (signal.aborted ? done(130) : fail(error)))
    child.on('close', (code) => done(signal.aborted || code === 130 ? 130 : code === 0 ? 0 : 2))
  })
}
