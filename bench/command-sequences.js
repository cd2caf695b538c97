// Whether what a run wrote can always be taken back: random sequences of run, kill, resume, apply, revert, reject, a person's
// edits and commits, on a project of two drifted snippets, checked against the bytes. Two rules:
//   - a line that a person added is still there at the end, once;
//   - after `autotest revert` of every run, newest first, each snippet is what it was, unless a person changed it after a run.
// node bench/command-sequences.js [--sequences 500] [--seed 1] [--workers 2], after npm run build.
import { execFileSync, fork, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { Sqlite } from '../build/modules/platform/sqlite.js'
import { randomFrom } from './compare-databases.js'

const { values: flags } = parseArgs({
  options: {
    sequences: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: '2' },
    verbose: { type: 'boolean', default: false },
  },
})
const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const cli = at('../dist/cli/main.js')
const hostProgram = at('../tests/e2e/cli-host-program.js')
const commandLine = new URL('../build/modules/cli/program.js', import.meta.url).href
const killer = pathToFileURL(at('../tests/e2e/kill-at.mjs')).href
const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const period = 'day BETWEEN {{ period.start }} AND {{ period.end }}'
const drifted = {
  'kb/snippets/gmv.sql': `SELECT market, sum(amount) AS gmv\nFROM orders\nWHERE ${period}\n  AND market = {{ market }}\nGROUP BY market\n`,
  'kb/snippets/orders.sql': `SELECT count(*) AS orders\nFROM orders\nWHERE market = {{ market }} AND ${period}\n  AND status = 'open'\n`,
}
const snippets = Object.keys(drifted)

const next = { number: 0, request: 0 }
const found = []
const counts = new Map()
await Promise.all(Array.from({ length: Number(flags.workers) }, work))
const total = Number(flags.sequences)
console.log(`${total} sequences, ${[...counts].map(([name, count]) => `${name} ${count}`).join(', ')}`)
console.log(`lost the way back, or a person's line: ${found.length}`)
for (const text of found.slice(0, 5)) console.log(text)

async function work() {
  const host = fork(hostProgram, [commandLine], { stdio: 'inherit' })
  while (next.number < Number(flags.sequences)) {
    const number = next.number++
    const problem = await sequence(host, randomFrom(Number(flags.seed) * 100_003 + number))
    if (problem !== undefined) found.push(`sequence ${number}: ${problem}`)
  }
  host.disconnect()
}

async function sequence(host, random) {
  const root = project()
  const any = (...options) => options[Math.floor(random() * options.length)]
  const git = (...args) =>
    execFileSync('git', ['-C', root, '-c', 'core.hooksPath=/dev/null', ...args], { stdio: 'pipe' })
  const read = (path) => readFileSync(join(root, path), 'utf8')
  const log = []
  const runs = []
  const lines = []
  /** A snippet without the lines that a person added. */
  const bodyOf = (path) => read(path).replaceAll(/^-- line .*\n/gm, '')
  /** Per snippet: since when it is as a run wrote it, and when a person changed it last. */
  const wrote = new Map()
  const edited = new Map()
  const note = (ended) => {
    for (const [, id] of ended.out.matchAll(/\b(r-[0-9a-f]{4,})\b/g)) if (!runs.includes(id)) runs.push(id)
  }
  const perform = async (args) => {
    const ended = await ask(host, root, args)
    note(ended)
    log.push(
      `${args.join(' ') || 'run'} → ${ended.code}${ended.code === null ? '' : ` ${ended.err.split('\n')[0]}`}`,
    )
    if (/\bat .*\.js:\d+|unhandled|TypeError/i.test(ended.err)) throw new Error(`a stack trace: ${ended.err}`)
  }
  const killed = async (args) => {
    const point = 1 + Math.floor(random() * 16)
    const ended = await spawned(root, args, { NODE_OPTIONS: `--import ${killer}`, KILL_AT: String(point) })
    note(ended)
    log.push(`${args.join(' ') || 'run'} killed at ${point} → ${ended.code}`)
  }
  const edit = () => {
    const path = any(...snippets)
    const line = `-- line ${lines.length} of a person`
    lines.push([path, line])
    writeFileSync(join(root, path), `${read(path)}${line}\n`)
    edited.set(path, log.length)
    log.push(`edit ${path}`)
  }
  const commit = () => {
    git('add', '--all')
    git('commit', '--quiet', '--allow-empty', '--message', 'wip')
    log.push('commit')
  }
  const forget = () => {
    rmSync(join(root, 'autotest.decisions.yaml'), { force: true })
    log.push('forget decisions')
  }
  const some = () => any('last', ...runs)
  const steps = [
    ['run', () => perform([])],
    ['run --yes', () => perform(['--yes'])],
    ['run --dry-run', () => perform(['--dry-run'])],
    ['killed', () => killed([])],
    ['killed', () => killed([])],
    ['killed --yes', () => killed(['--yes'])],
    ['killed resume', () => killed(['--resume'])],
    ['killed revert', () => killed(['revert', some()])],
    ['killed apply', () => killed(['apply', 'last'])],
    ['resume', () => perform(['--resume'])],
    ['resume', () => perform(['--resume'])],
    ['apply', () => perform(['apply', 'last'])],
    ['revert', () => perform(['revert', some()])],
    ['reject', () => perform(['reject', some(), '--reason', 'no'])],
    ['edit', edit],
    ['commit', commit],
    ['forget', forget],
  ]
  try {
    for (let step = 0; step < 7; step++) {
      const [name, act] = any(...steps)
      await act()
      counts.set(name, (counts.get(name) ?? 0) + 1)
      for (const path of snippets) {
        if (bodyOf(path) === drifted[path]) wrote.delete(path)
        else if (!wrote.has(path)) wrote.set(path, log.length)
      }
    }
    for (const id of [...runs].reverse()) await perform(['revert', id])
    for (const [path, line] of lines) {
      const times = read(path).split(`${line}\n`).length - 1
      if (times !== 1) return `${path} has "${line}" ${times} times\n    ${log.join('\n    ')}`
    }
    for (const path of snippets) {
      const isHeld = (edited.get(path) ?? -1) >= (wrote.get(path) ?? 0)
      if (bodyOf(path) !== drifted[path] && !isHeld)
        return `${path} is not what it was\n    ${log.join('\n    ')}\n${read(path)}`
    }
    if (flags.verbose) console.log(log.join('\n'), '\n')
    return undefined
  } catch (error) {
    return `${error.message}\n    ${log.join('\n    ')}`
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function ask(host, cwd, args) {
  const id = ++next.request
  return new Promise((done, fail) => {
    const onMessage = (reply) => {
      if (reply.id !== id) return
      host.off('message', onMessage)
      if (reply.ended === undefined) fail(new Error(reply.failure))
      else done(reply.ended)
    }
    host.on('message', onMessage)
    host.send({ id, cwd, args, env: environment() })
  })
}

function spawned(cwd, args, env) {
  const child = spawn(process.execPath, [cli, ...args], {
    cwd,
    env: { ...environment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    said.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    said.err += chunk
  })
  return new Promise((done) => child.on('close', (code) => done({ code, ...said })))
}

function environment() {
  const { PATH, HOME } = process.env
  return {
    PATH,
    HOME,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.com',
  }
}

function project() {
  const root = mkdtempSync(join(base, 'autotest-sequences-'))
  const parameters = `parameters:\n  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand] } }\n  period: { type: date_range }\n`
  const asked = (id, word, select, tail) =>
    `  - id: ${id}\n    question: ${word}\n    expected_sql: "SELECT ${select} FROM orders WHERE ${tail}"\n`
  const when = (market, from, to) =>
    `market = '${market}' AND day BETWEEN '${from}' AND '${to}' AND status = 'paid'`
  const november = ['2025-11-01', '2025-11-30']
  const december = ['2025-12-01', '2025-12-31']
  const files = {
    ...drifted,
    'autotest.config.yaml': 'engine: sqlite:shop.sqlite\nas_of: 2025-12-31\n',
    '.gitignore': '.autotest\nreports\n',
    'kb/metrics/gmv.yaml': `metric: gmv\naliases: [GMV]\nsnippet: gmv.sql\n${parameters}`,
    'kb/metrics/orders.yaml': `metric: orders\naliases: [orders]\nsnippet: orders.sql\n${parameters}`,
    'benchmarks/cases.yaml': `cases:\n${[
      asked(
        'gmv_id',
        'ID GMV in November 2025',
        'market, sum(amount) AS gmv',
        `${when('ID', ...november)} GROUP BY market`,
      ),
      asked(
        'gmv_th',
        'TH GMV in December 2025',
        'market, sum(amount) AS gmv',
        `${when('TH', ...december)} GROUP BY market`,
      ),
      asked('orders_id', 'ID orders in November 2025', 'count(*) AS orders', when('ID', ...november)),
      asked('orders_th', 'TH orders in December 2025', 'count(*) AS orders', when('TH', ...december)),
    ].join('')}`,
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const database = new Sqlite(join(root, 'shop.sqlite'))
  database.exec(
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, market TEXT, day TEXT, amount REAL, status TEXT)',
  )
  const insert = database.prepare('INSERT INTO orders VALUES (?, ?, ?, ?, ?)')
  database.transaction(() => {
    for (let id = 0; id < 300; id++) {
      const day = new Date(Date.UTC(2025, 8, 1 + (id % 122))).toISOString().slice(0, 10)
      insert.run(id, ['ID', 'TH'][id % 2], day, (id * 37) % 97, ['paid', 'open', 'cancelled'][id % 3])
    }
  })()
  database.close()
  const git = (...args) =>
    execFileSync('git', ['-C', root, ...args], { stdio: 'pipe', env: { ...process.env, ...environment() } })
  git('init', '--quiet')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Import')
  return root
}
