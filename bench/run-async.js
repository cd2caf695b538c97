import { spawn } from 'node:child_process'

/** Runs a program without blocking; returns its exit code and all that it printed. */
export function runAsync(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part))
    child.on('close', (status) => resolve({ status, output }))
  })
}
