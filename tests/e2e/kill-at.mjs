// Loaded before the program (NODE_OPTIONS=--import): ends it by SIGKILL, or sends it KILL_SIGNAL, before the nth time that it
// changes the project or starts git to commit. KILL_AT: n, from 1.
import childProcess from 'node:child_process'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const point = Number(process.env['KILL_AT'] ?? 0)
let count = 0

function pass() {
  if (++count === point) process.kill(process.pid, process.env['KILL_SIGNAL'] ?? 'SIGKILL')
}

const isProjects = (path) =>
  /[/\\](?:kb|\.autotest[/\\]journal)[/\\]|autotest\.decisions\.yaml/.test(String(path))

for (const name of ['rename', 'rm', 'open']) {
  const original = fs[name]
  fs[name] = (path, ...rest) => {
    const changes = name !== 'open' || (typeof rest[0] === 'string' && /[wax]/.test(rest[0]))
    if (changes && isProjects(path)) pass()
    return original(path, ...rest)
  }
}
const { spawn } = childProcess
childProcess.spawn = (command, args, ...rest) => {
  if (Array.isArray(args) && args.includes('commit')) pass()
  return spawn(command, args, ...rest)
}
syncBuiltinESMExports()
