// Kills a process (SIGKILL) before and behind every call to the file system in apply, revert and recovery, recovers, and
// looks at the tree: it must be exactly as before or exactly as after. node bench/kill-points.js, after npm run build.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openJournal, recoverUnfinishedWrites } from '../build/modules/edit/journal.js'

const child = fileURLToPath(new URL('repair/killed-child.js', import.meta.url))
const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const changes = [
  { path: 'kb/a.sql', before: Buffer.from('a1\r\n'), after: Buffer.from('a2\r\n') },
  { path: 'kb/b.sql', before: Buffer.from('caf\xe9', 'latin1'), after: null },
  { path: 'kb/new/c.sql', before: null, after: Buffer.from('\ufeffc') },
]
const edges = await bothEdges()
let [points, survived] = [0, 0]
for (const act of ['apply', 'revert', 'recovery']) {
  const from = points
  for (let call = 0, killed = true; killed; call++) {
    killed = false
    for (const side of ['before', 'behind']) {
      const root = await arranged(act)
      const { signal } = spawnSync(process.execPath, [child, root, act, String(call), side], {
        stdio: 'pipe',
      })
      if (signal === 'SIGKILL') {
        killed = true
        points++
        await recoverUnfinishedWrites(root)
        const tree = JSON.stringify(treeOf(root))
        if (edges.includes(tree)) survived++
        else console.log(`${act}, ${side} call ${call}: ${tree}`)
      }
      rmSync(root, { recursive: true })
    }
  }
  console.log(`${act}: ${points - from} points`)
}
console.log(`${survived} of ${points} points survived`)

async function arranged(act) {
  const root = mkdtempSync(join(base, 'autotest-kill-'))
  mkdirSync(join(root, 'kb'))
  writeFileSync(join(root, 'kb/a.sql'), 'a1\r\n')
  writeFileSync(join(root, 'kb/b.sql'), 'caf\xe9', 'latin1')
  chmodSync(join(root, 'kb/a.sql'), 0o640)
  if (act === 'revert') await write(root)
  if (act === 'recovery')
    spawnSync(process.execPath, [child, root, 'apply', '34', 'behind'], { stdio: 'pipe' })
  return root
}

async function write(root) {
  const journal = await openJournal({ root, allowedRoots: ['kb'], now: () => new Date(), pid: process.pid })
  await journal.write('r-1', 'p1', changes)
}

async function bothEdges() {
  const root = await arranged('apply')
  const before = JSON.stringify(treeOf(root))
  await write(root)
  const after = JSON.stringify(treeOf(root))
  rmSync(root, { recursive: true })
  return [before, after]
}

function treeOf(root, below = '') {
  return readdirSync(join(root, below), { withFileTypes: true })
    .filter(({ name }) => name !== '.autotest')
    .sort((a, b) => a.name.localeCompare(b.name))
    .flatMap((entry) => {
      const path = join(below, entry.name)
      if (entry.isDirectory()) return [path, ...treeOf(root, path)]
      const mode = statSync(join(root, path)).mode.toString(8)
      return [`${path} ${mode} ${readFileSync(join(root, path), 'latin1')}`]
    })
}
