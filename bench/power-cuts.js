// A disk that fails, and a power cut, at each call that writes while the journal applies and reverts: after recovery each file
// must be exactly as before or exactly as after. Needs Linux and a C compiler. node bench/power-cuts.js [--most N], after npm run build.
//   error   call n answers EIO
//   cut     everything stops at call n; of what was not synced then, any part is on the disk, in any order
//   --most  so many calls of each, spread over all
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openJournal, recoverUnfinishedWrites } from '../build/modules/edit/journal.js'
import { randomFrom } from './compare-databases.js'
import { readCalls, readTree, statesBehind, writeState } from './writes/durable-states.js'

const { values: flags } = parseArgs({ options: { most: { type: 'string', default: '1000' } } })
const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const scratch = mkdtempSync(join(base, 'autotest-power-'))
const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const library = join(scratch, 'faulty-disk.so')
const compiled = spawnSync(
  'cc',
  ['-shared', '-fPIC', '-O1', '-o', library, at('writes/faulty-disk.c'), '-ldl'],
  {
    encoding: 'utf8',
  },
)
if (process.platform !== 'linux' || compiled.error !== undefined || compiled.status !== 0) {
  const why =
    process.platform === 'linux' ? (compiled.error?.message ?? compiled.stderr) : 'this is not Linux'
  console.log(`SKIPPED  power cuts and failing disks: no library can be made for LD_PRELOAD: ${why.trim()}`)
  rmSync(scratch, { recursive: true })
  process.exit()
}
const random = randomFrom(1)
let number = 0
const edges = { apply: await edgeOf('apply'), start: await edgeOf() }
let [points, lost, wrong] = [0, 0, 0]
for (const act of ['apply', 'revert']) {
  const [from, to] = act === 'apply' ? [edges.start, edges.apply] : [edges.apply, edges.start]
  const log = join(scratch, `${act}.log`)
  const root = await arranged(act)
  const before = readTree(root)
  run(root, act, { FAULTY_LOG: log })
  const calls = readCalls(log, root)
  const chosen = spread(calls.length)
  let states = 0
  for (const call of chosen) {
    // The disk answers EIO.
    const own = await arranged(act)
    const { status } = run(own, act, { FAULTY_AT: String(call + 1), FAULTY_HOW: 'error' })
    await recoverUnfinishedWrites(own)
    check(`${act}, EIO at ${nameOf(calls[call])}`, own, status === 0 ? [to] : [from, to])
    points++
  }
  for (const count of [...chosen, calls.length])
    for (const state of statesBehind(before, calls, count, random)) {
      const own = join(scratch, `s${number++}`)
      mkdirSync(own)
      writeState(own, state)
      try {
        await recoverUnfinishedWrites(own)
        // What was reported as done is on the disk.
        check(
          `${act}, cut behind ${nameOf(calls[count - 1])}`,
          own,
          count === calls.length ? [to] : [from, to],
        )
      } catch (error) {
        lost++
        console.log(`${act}, cut behind ${nameOf(calls[count - 1])}: ${error.message}`)
      }
      rmSync(own, { recursive: true, force: true })
      states++
      points++
    }
  console.log(
    `${act}: ${calls.length} calls, EIO at ${chosen.length} of them, ${states} states of the disk after a power cut`,
  )
}
rmSync(scratch, { recursive: true })
console.log(`torn or lost: ${lost + wrong} of ${points}`)
process.exitCode = lost + wrong === 0 ? 0 : 1

function spread(total) {
  const most = Math.min(total, Number(flags.most))
  return Array.from({ length: most }, (_, each) => Math.floor((each * total) / most))
}

function nameOf(call) {
  return call === undefined
    ? 'the start'
    : `${call.what} ${call.path}${call.to === undefined ? '' : ` to ${call.to}`}`
}

function run(root, act, settings) {
  return spawnSync(process.execPath, [at('writes/journal-act.js'), root, act], {
    env: { ...process.env, UV_USE_IO_URING: '0', LD_PRELOAD: library, FAULTY_ROOT: root, ...settings },
    encoding: 'utf8',
  })
}

function check(what, root, allowed) {
  const found = filesOf(root)
  if (!allowed.includes(found)) {
    wrong++
    console.log(`${what}: ${found}`)
  }
  rmSync(root, { recursive: true, force: true })
}

function filesOf(root) {
  return JSON.stringify(
    readTree(root)
      .filter(({ path, bytes }) => bytes !== null && !path.startsWith('.autotest'))
      .map(({ path, bytes }) => `${path} ${bytes.toString('latin1')}`)
      .sort(),
  )
}

async function arranged(act) {
  const root = join(scratch, `p${number++}`)
  mkdirSync(join(root, 'kb'), { recursive: true })
  writeFileSync(join(root, 'kb/a.sql'), 'a1\r\n')
  writeFileSync(join(root, 'kb/b.sql'), 'caf\xe9', 'latin1')
  if (act === 'revert') {
    const done = run(root, 'apply', {})
    if (done.status !== 0) throw new Error(done.stderr)
    await openJournal({ root, allowedRoots: ['kb'], now: () => new Date(), pid: process.pid })
  }
  return root
}

async function edgeOf(act) {
  const root = await arranged('apply')
  if (act !== undefined && run(root, act, {}).status !== 0) throw new Error(`${act} failed`)
  return filesOf(root)
}
