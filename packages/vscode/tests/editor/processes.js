// Programs that a test starts, and what they leave running.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** Runs one command to its end; returns its output, or throws an error that shows it. */
export function run(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => {
        output += part
      })
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0
        ? resolve(output)
        : reject(new Error(`${basename(args[0] ?? command)} ended ${code}:\n${output}`)),
    )
  })
}

/** Ids of the processes below one, itself first, from /proc. */
export function tree(id, depth = 99) {
  const children = new Map()
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const stat = textOf(`/proc/${name}/stat`)
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const below = (each, left) => [
    each,
    ...(left > 0 ? (children.get(each) ?? []).flatMap((child) => below(child, left - 1)) : []),
  ]
  return below(id, depth).filter((each) => existsSync(`/proc/${each}`))
}

/** The command line of a process, in parts; none where it has ended. */
export function commandLine(id) {
  return textOf(`/proc/${id}/cmdline`).split('\0')
}

/** Ends processes: TERM, then KILL for what is left. */
export async function end(ids) {
  await signal(ids, 'SIGTERM', 50)
  await signal(ids.filter(isAlive), 'SIGKILL', 20)
}

async function signal(ids, name, tenths) {
  for (const id of ids)
    try {
      process.kill(id, name)
    } catch {
      // It has ended meanwhile.
    }
  for (let waited = 0; waited < tenths && ids.some(isAlive); waited++)
    await new Promise((resolve) => setTimeout(resolve, 100))
}

function isAlive(id) {
  const status = textOf(`/proc/${id}/status`)
  return status !== '' && !/^State:\s+Z/m.test(status)
}

/** A text of /proc; empty where the process has ended. */
function textOf(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
