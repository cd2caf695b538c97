// Histories in which knowledge changes and the benchmark still expects the old, each repaired by the built command line: what people
// explained must not be undone, what nobody explained must be repaired.
// node bench/intent.js [--half dev|held|all] [--group A|B|C] [--only ID] [--base CLI] [--counts]
//   --only ID   one history, `billing/past-due-out/A1`: its folder is kept, and its path printed
//   --base CLI  dist/cli/main.js of a build that holds nothing: what it does not repair is no fault of the words. Otherwise this
//               build runs once more for each change, without any words and without git
//   --counts    no list of misses, for the half that nothing is tuned on
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import pLimit from 'p-limit'
import { allHistories, groups } from './intent/histories.js'
import { tryRun } from './intent/judge.js'
import { openProjects } from './intent/projects.js'
import { writeHistory, writeSilently } from './intent/scratch.js'
import { cli } from './measure.js'

const { values: flags } = parseArgs({
  options: {
    half: { type: 'string', default: 'all' },
    group: { type: 'string' },
    only: { type: 'string' },
    base: { type: 'string' },
    counts: { type: 'boolean', default: false },
  },
})
if (!['dev', 'held', 'all'].includes(flags.half)) throw new Error('--half is dev, held or all')

const folder = mkdtempSync(join(tmpdir(), 'autotest-intent-'))
const histories = allHistories().filter(isWanted)
if (histories.length === 0) throw new Error('no such history')
const projects = new Map((await openProjects(join(folder, 'databases'))).map((one) => [one.name, one]))
const limit = pLimit(2)
const withoutWords = new Map()
const results = await Promise.all(histories.map((history) => limit(() => trial(history))))

if (flags.only === undefined) {
  printTable()
  if (!flags.counts) for (const one of results.filter(isMiss)) printLine(one)
  rmSync(folder, { recursive: true, force: true })
} else {
  for (const one of results) printLine(one)
  console.log(join(folder, flags.only))
}

function isWanted({ id, half, group }) {
  if (flags.only !== undefined) return id === flags.only
  return (flags.half === 'all' || flags.half === half) && (flags.group ?? group) === group
}

async function trial(history) {
  const { files } = projects.get(history.project)
  const root = join(folder, history.id)
  const result = await tryRun(cli, root, writeHistory(root, files, history))
  if (flags.only === undefined) rmSync(root, { recursive: true, force: true })
  return { history, ...result, base: await baseOutcome(history, files) }
}

async function baseOutcome(history, files) {
  if (flags.base !== undefined) {
    const root = join(folder, 'base', history.id)
    return outcomeAt(resolve(flags.base), root, writeHistory(root, files, history))
  }
  const key = join(history.project, history.change.name)
  if (!withoutWords.has(key)) {
    const root = join(folder, 'without-words', key)
    writeSilently(root, files, history.change)
    withoutWords.set(key, outcomeAt(cli, root))
  }
  return withoutWords.get(key)
}

async function outcomeAt(program, root, lastCommit) {
  mkdirSync(dirname(root), { recursive: true })
  const { outcome } = await tryRun(program, root, lastCommit)
  rmSync(root, { recursive: true, force: true })
  return outcome
}

/** What is left unrepaired, or written, for another reason than the words is no miss: the base tells. */
function isMiss({ history, outcome, base }) {
  if (history.group === 'A')
    return outcome === 'repaired' || outcome === 'written' || (outcome === 'other' && base === 'repaired')
  return outcome !== 'repaired' && base === 'repaired'
}

function printTable() {
  const columns = ['histories', 'written', 'held', 'repaired', 'other', 'base', 'right']
  console.log(`${'group'.padEnd(24)}${columns.map((one) => one.padStart(11)).join('')}`)
  for (const [group, name] of Object.entries(groups)) {
    const all = results.filter((one) => one.history.group === group)
    const count = (outcome) => all.filter((one) => one.outcome === outcome).length
    const capable = all.filter((one) => one.base === 'repaired')
    const right = capable.filter((one) => !isMiss(one)).length
    const cells = [
      all.length,
      count('written') + count('repaired'),
      count('held'),
      count('repaired'),
      count('other'),
      capable.length,
      `${right}/${capable.length}`,
    ]
    console.log(`${name.padEnd(24)}${cells.map((one) => String(one).padStart(11)).join('')}`)
  }
  console.log('base: histories that the base repairs; right: of those, held (A) or repaired (B, C)')
}

function printLine({ history, outcome, why, base }) {
  const { before, commit, after } = history
  const words = [before, commit, after].filter((one) => one !== undefined).map((one) => JSON.stringify(one))
  console.log(`${outcome} ${history.id}: ${why}; base ${base}; ${words.join(' → ')}`)
}
