import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const cli = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))

/** Runs the built command line, as `measureProgram` does. */
export function measure(args, cwd) {
  return measureProgram([cli, ...args], cwd)
}

/**
 * Runs a program of Node's and measures it from outside.
 * @returns seconds, peak of the memory of the process and its children in MB, exit code, output,
 * and the memory at each sample.
 */
export function measureProgram(args, cwd, env = {}) {
  return new Promise((resolve) => {
    const started = performance.now()
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    const memory = []
    const timer = setInterval(() => memory.push(treeMegabytes(child.pid)), 50)
    child.on('close', (code) => {
      clearInterval(timer)
      const seconds = (performance.now() - started) / 1000
      resolve({ seconds, peak: Math.max(0, ...memory), memory, code, output })
    })
  })
}

/** Median of several runs; one warm-up is thrown away. */
export async function median(times, args, cwd) {
  await measure(args, cwd)
  const runs = []
  for (let i = 0; i < times; i++) runs.push(await measure(args, cwd))
  runs.sort((a, b) => a.seconds - b.seconds)
  return runs[Math.floor(runs.length / 2)]
}

/**
 * Memory of a process and all below it, in MB; what they share, Node's own program above all, is counted once (Linux: the sum
 * of their proportional set sizes).
 */
function treeMegabytes(pid) {
  const parents = new Map()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const status = whileAlive(() => readFileSync(`/proc/${name}/status`, 'utf8'))
    if (status !== undefined) parents.set(Number(name), Number(/PPid:\s+(\d+)/.exec(status)?.[1]))
  }
  let total = 0
  for (const candidate of parents.keys()) {
    for (let at = candidate; at > 1; at = parents.get(at) ?? 0) {
      if (at !== pid) continue
      const rollup = whileAlive(() => readFileSync(`/proc/${candidate}/smaps_rollup`, 'utf8')) ?? ''
      total += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024
      break
    }
  }
  return total
}

/** Undefined where the process ended between the listing and the reading. */
function whileAlive(read) {
  try {
    return read()
  } catch (error) {
    if (!['ENOENT', 'ESRCH'].includes(error.code)) throw error
    return undefined
  }
}
