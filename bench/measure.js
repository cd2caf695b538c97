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
 * @returns seconds, peak of the summed resident memory of the process and its children in MB, exit code, output,
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

/** Resident memory of a process and all below it, in MB (Linux). */
function treeMegabytes(pid) {
  const parents = new Map()
  const resident = new Map()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const status = readFileSync(`/proc/${name}/status`, 'utf8')
      parents.set(Number(name), Number(/PPid:\s+(\d+)/.exec(status)?.[1]))
      resident.set(Number(name), Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024)
    } catch (error) {
      // The process ended between the listing and the reading.
      if (!['ENOENT', 'ESRCH'].includes(error.code)) throw error
    }
  }
  let total = 0
  for (const candidate of resident.keys()) {
    for (let at = candidate; at > 1; at = parents.get(at) ?? 0) {
      if (at !== pid) continue
      total += resident.get(candidate)
      break
    }
  }
  return total
}
