// Does one act of the journal and kills itself before or behind the nth call to the file system.
// node killed-child.js ROOT apply|revert|recovery N before|behind
import { readFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const [root, act, point, side] = process.argv.slice(2)
let count = 0
const calls = new URL('../../tests/edit/traced-calls.json', import.meta.url)
const { functions, methods } = JSON.parse(readFileSync(calls, 'utf8'))
for (const name of functions) fs[name] = counted(fs[name], (result) => name === 'open' && countHandle(result))
syncBuiltinESMExports()
const { openJournal, recoverUnfinishedWrites } = await import('../../build/modules/edit/journal.js')

if (act === 'recovery') await recoverUnfinishedWrites(root)
else {
  const journal = await openJournal({ root, allowedRoots: ['kb'], now: () => new Date(), pid: process.pid })
  if (act === 'revert') await journal.revert('r-1')
  else
    await journal.write('r-1', 'p1', [
      { path: 'kb/a.sql', before: Buffer.from('a1\r\n'), after: Buffer.from('a2\r\n') },
      { path: 'kb/b.sql', before: Buffer.from('caf\xe9', 'latin1'), after: null },
      { path: 'kb/new/c.sql', before: null, after: Buffer.from('\ufeffc') },
    ])
}

function countHandle(handle) {
  for (const name of methods) handle[name] = counted(handle[name].bind(handle), () => undefined)
}

function counted(original, use) {
  return async (...args) => {
    const own = count++ === Number(point)
    if (own && side === 'before') process.kill(process.pid, 'SIGKILL')
    const result = await original(...args)
    if (own) process.kill(process.pid, 'SIGKILL')
    use(result)
    return result
  }
}
