// Thirty nights of two projects: what people commit, then one run that repairs and commits, again and again on top of each other.
// node bench/nights.js [--project shop|library] [--program CLI], after npm run build; bench/nights/shop.yaml says what an event is
//   --program CLI  dist/cli/main.js of another build
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { cli } from './measure.js'
import { projectNames, readEvents } from './nights/projects.js'
import { replay } from './nights/replay.js'

const { values: flags } = parseArgs({
  options: { project: { type: 'string' }, program: { type: 'string', default: cli } },
})
const names = flags.project === undefined ? projectNames : [flags.project]
if (!names.every((name) => projectNames.includes(name)))
  throw new Error(`--project is ${projectNames.join(' or ')}`)

const results = []
for (const name of names) {
  const folder = mkdtempSync(join(tmpdir(), 'autotest-nights-'))
  const events = readEvents(name)
  const nights = await replay({ name, events, root: join(folder, name), program: resolve(flags.program) })
  rmSync(folder, { recursive: true, force: true })
  for (const night of nights)
    for (const line of night.remarks) console.log(`${name} night ${night.number}: ${line}`)
  results.push({ name, events, nights })
}
printTable()

function printTable() {
  const columns = [
    'nights',
    'wrong writes',
    'red without cause',
    'drifts',
    'in a night',
    'in other words',
    'purposes held',
  ]
  console.log(`${'project'.padEnd(10)}${columns.map((one) => one.padStart(19)).join('')}`)
  for (const { name, events, nights } of results) {
    const sum = (key) => nights.reduce((total, night) => total + night[key], 0)
    const drifts = events.filter((event) => event.kind === 'drift').length
    const purposes = events.filter((event) => event.kind === 'purpose-with-words').length
    const repaired = sum('repairedInANight')
    const cells = [
      nights.length,
      sum('wrongWrites'),
      nights.filter((night) => night.isRedWithoutCause).length,
      drifts,
      `${repaired} (${Math.round((100 * repaired) / drifts)} %)`,
      sum('inOtherWords'),
      `${sum('held')}/${purposes}`,
    ]
    console.log(`${name.padEnd(10)}${cells.map((one) => String(one).padStart(19)).join('')}`)
  }
}
