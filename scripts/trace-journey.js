// Counts which rooms a failing case passes through on its way to an accepted edit, and how often control goes back upwards.
// node scripts/trace-journey.js [--folders] [ROOT], after npm run build, on Node 22.15 or newer; ROOT is another built checkout to compare with.
//
// The journey: the sample's `dau` snippet loses a filter, the benchmark is run, and the cases that fail are repaired in memory,
// as bench/in-memory.js does it with what git tells of the lost line.
// A room: a folder of src, and in `repair` each of its folders. Loose files of src, and `platform`, `text` and `enums`, where
// such files are now, are no rooms: what they call counts as called by their caller. The folder of a step in
// `domains/sql/repair` is one room with the folder of that step in `repair`, and sql-repair.ts, which binds them to each other,
// is none; with --folders each folder is a room of its own, and so is that file's.
// A crossing: an ordered pair of different rooms, of which a function written in one called a function written in the other,
// directly or as a callback, before or behind an `await`. A pair counts once, however many calls there are.
// Upwards: .dependency-cruiser.cjs forbids the caller's file to import the callee's (files of steps as if all were in `repair`,
// except with --folders), or the callee's room is waiting already: the calls that led to the caller came through it.
//
// Every function of build/modules except constructors and accessors is made to tell, as it is loaded, where it is written.
import { AsyncLocalStorage } from 'node:async_hooks'
import { createRequire, registerHooks } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import ts from 'typescript'

const { values: flags, positionals } = parseArgs({
  options: { folders: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const root = resolve(positionals[0] ?? '.')
const base = `${pathToFileURL(root)}/build/modules/`
const noRooms = new Set(['platform', 'text', 'enums'])
const { forbidden } = createRequire(import.meta.url)(`${root}/.dependency-cruiser.cjs`)
const rules = forbidden.filter(({ to }) => to.path !== undefined)

/** Caller's and callee's room → how many calls, and how many of them upwards. */
const crossings = new Map()
/** The file whose function is being run, also behind an `await`, with its room and what called it. */
const running = new AsyncLocalStorage()
let isRecording = false

globalThis.traced = { call, iterate, iterateAsync }
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const file = url.slice(base.length)
    if (!url.startsWith(base) || loaded.format !== 'module' || roomOf(file) === undefined) return loaded
    return { ...loaded, source: instrumented(file, String(loaded.source)) }
  },
})
await repairOneFault()
print()

async function repairOneFault() {
  const { changed, historyOf, openProject, repairInMemory } = await import(
    pathToFileURL(`${root}/bench/in-memory.js`).href
  )
  const opened = await openProject(root)
  const path = 'kb/snippets/dau.sql'
  const text = new TextDecoder().decode(opened.clean.files.get(path)).replace(/.*tz_type = 'local'.*\n/, '')
  const broken = changed(opened.clean, { [path]: text })
  const history = historyOf(opened.clean, { [path]: text })
  isRecording = true
  const { attempts, bad } = await repairInMemory(opened, broken, undefined, 0, history)
  isRecording = false
  await opened.parts.close()
  for (const { outcome, title, grade } of attempts)
    console.log(`${bad.length} failing cases; ${outcome} ${grade}: ${title}`)
}

function print() {
  for (const [name, { calls, upwards }] of [...crossings].sort())
    console.log(
      `${name.padEnd(56)}${String(calls).padStart(6)} calls${upwards > 0 ? `, ${upwards} upwards` : ''}`,
    )
  const isStep = (room) => /^(domains\/sql\/)?repair(\/|$)/.test(room)
  summarize('all rooms', [...crossings])
  summarize(
    'steps of repair',
    [...crossings].filter(([name]) => name.split(' → ').every(isStep)),
  )
}

function summarize(title, entries) {
  const rooms = new Set(entries.flatMap(([name]) => name.split(' → ')))
  const upwards = entries.filter(([, one]) => one.upwards > 0)
  const sum = (key) => entries.reduce((all, [, one]) => all + one[key], 0)
  console.log(
    `${title}: ${rooms.size} rooms, ${entries.length} crossings by ${sum('calls')} calls, ` +
      `upwards ${upwards.length} by ${sum('upwards')} calls`,
  )
}

/** Undefined for what is no room. */
function roomOf(file) {
  const [folder, ...rest] = file.split('/')
  if (rest.length === 0 || noRooms.has(folder)) return undefined
  const step = stepFile(file)
  if (folder === 'repair') return rest.length > 1 ? `repair/${rest[0]}` : 'repair'
  if (!file.startsWith('domains/sql/repair/')) return folder === 'domains' ? 'domains/sql' : folder
  if (!flags.folders) return file.endsWith('/sql-repair.js') ? undefined : roomOf(step)
  return `domains/sql/${roomOf(step)}`
}

/** A file of a step of a domain as if it were one of the step itself. */
function stepFile(file) {
  return file.replace(/^domains\/sql\/repair\//, 'repair/')
}

function isUpwards(from, to) {
  for (let waiting = from.caller; waiting !== undefined; waiting = waiting.caller)
    if (waiting.room === to.room) return true
  const areSteps = [from, to].every(({ file }) => stepFile(file).startsWith('repair/'))
  const [caller, callee] = [from, to]
    .map(({ file }) => (areSteps && !flags.folders ? stepFile(file) : file))
    .map((file) => `src/${file.replace(/\.js$/, '.ts')}`)
  return rules.some((rule) => matches(caller, rule.from) && matches(callee, rule.to))
}

function matches(file, { path, pathNot }) {
  return (
    (path === undefined || new RegExp(path).test(file)) &&
    (pathNot === undefined || !new RegExp(pathNot).test(file))
  )
}

function call(file, work) {
  const from = running.getStore()
  if (from?.file === file) return work()
  const to = { file, room: roomOf(file), caller: from }
  if (isRecording && from !== undefined && from.room !== to.room) record(from, to)
  return running.run(to, work)
}

function record(from, to) {
  const name = `${from.room} → ${to.room}`
  const known = crossings.get(name) ?? { calls: 0, upwards: 0 }
  crossings.set(name, known)
  known.calls++
  if (isUpwards(from, to)) known.upwards++
}

function* iterate(file, iterator) {
  try {
    for (;;) {
      const { done, value } = call(file, () => iterator.next())
      if (done) return value
      yield value
    }
  } finally {
    iterator.return()
  }
}

async function* iterateAsync(file, iterator) {
  try {
    for (;;) {
      const { done, value } = await call(file, () => iterator.next())
      if (done) return value
      yield value
    }
  } finally {
    await iterator.return()
  }
}

/** The text of a module whose functions tell where they are written. */
function instrumented(file, text) {
  const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS)
  const insertions = []
  const visit = (node) => {
    const isWrapped = ts.isFunctionLike(node) && !ts.isConstructorDeclaration(node) && !ts.isAccessor(node)
    if (isWrapped && node.body !== undefined) insertions.push(...around(node, JSON.stringify(file)))
    ts.forEachChild(node, visit)
  }
  visit(parsed)
  let result = text
  for (const { at, part } of insertions.sort((a, b) => b.at - a.at))
    result = result.slice(0, at) + part + result.slice(at)
  return result
}

function around({ body, asteriskToken, modifiers }, file) {
  const isAsync = modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword)
  const prefix = isAsync ? 'async ' : ''
  const wrap = (start, end, before, after) => [
    { at: start, part: before },
    { at: end, part: after },
  ]
  const [start, end] = [body.getStart(), body.end]
  if (!ts.isBlock(body)) return wrap(start, end, `traced.call(${file}, ${prefix}() => (`, '))')
  if (asteriskToken === undefined)
    return wrap(start + 1, end - 1, `return traced.call(${file}, ${prefix}() => {`, '})')
  const iterator = `traced.${isAsync ? 'iterateAsync' : 'iterate'}`
  const opening = `return yield* ${iterator}(${file}, (${prefix}function* () {`
  return wrap(start + 1, end - 1, opening, '}).call(this))')
}
