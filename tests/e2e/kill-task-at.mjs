// Loaded before the program (NODE_OPTIONS=--import): ends it by SIGKILL before the nth time that it starts a process, or changes the project or
// its journal. KILL_AT: n, from 1.
import childProcess from 'node:child_process'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const point = Number(process.env['KILL_AT'] ?? 0)
let count = 0

function pass() {
  if (++count === point) process.kill(process.pid, 'SIGKILL')
}

for (const name of ['rename', 'rm', 'open', 'writeFile']) {
  const original = fs[name]
  fs[name] = (path, ...rest) => {
    const changes = name !== 'open' || (typeof rest[0] === 'string' && /[wax]/.test(rest[0]))
    if (
      changes &&
      /[/\\]\.autotest[/\\]journal|autotest-e2e-[^/]*[/\\](src|tests|reports)[/\\]/.test(String(path))
    )
      pass()
    return original(path, ...rest)
  }
}
const { spawn } = childProcess
childProcess.spawn = (command, args, ...rest) => {
  if (/bwrap|unshare|python/.test(String(command))) pass()
  return spawn(command, args, ...rest)
}
syncBuiltinESMExports()
