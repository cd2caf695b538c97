// Kills what a user runs (SIGKILL) at random points, looks at the user's files at once, and runs the command again: no byte may be
// lost. node bench/kills.js [--points 100] [--seed 1] [--act NAME …], after npm run build. generate and tdd need Python with pytest.
import { execFileSync, spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { Sqlite } from '../build/modules/platform/sqlite.js'
import { randomFrom } from './compare-databases.js'
import { cli } from './measure.js'
import { readTree } from './writes/durable-states.js'

const acts = {
  repair: { files: sqlProject, args: ['--no-commit'] },
  yes: { files: sqlProject, git: true, args: ['--yes'] },
  apply: { files: sqlProject, first: [['--dry-run']], args: ['apply', 'last'] },
  revert: { files: sqlProject, first: [['--no-commit']], args: ['revert', 'last'] },
  merge: {
    files: sqlProject,
    prepare: shards,
    args: ['merge', 'one', 'two', '--repair', '--no-commit'],
  },
  generate: {
    files: pythonProject,
    args: ['generate', 'src/pricing.py', '--seconds', '0.5'],
    isPython: true,
  },
  tdd: {
    files: tddProject,
    prepare: firstGate,
    git: true,
    args: ['tdd', 'tasks/discount.yaml'],
    isPython: true,
  },
}
const { values: flags } = parseArgs({
  options: {
    points: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    act: { type: 'string', multiple: true, default: Object.keys(acts) },
    verbose: { type: 'boolean', default: false },
  },
})
/** They name a run, and say so where it is done already or the knowledge has changed since. */
const refusesAgain = ['apply', 'revert', 'merge']
const random = randomFrom(Number(flags.seed))
const scratch = mkdtempSync(join(tmpdir(), 'autotest-kills-'))
let [killed, lost] = [0, 0]
try {
  for (const name of flags.act) await measure(name, acts[name])
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
console.log(`bytes lost: ${lost} of ${killed} kills`)
process.exitCode = lost === 0 ? 0 : 1

async function measure(name, act) {
  const start = join(scratch, name)
  write(start, act.files())
  if (act.files === sqlProject) database(join(start, 'shop.sqlite'))
  if (act.git) repository(start)
  for (const args of act.first ?? []) await run(start, args)
  await act.prepare?.(start)
  const before = filesOf(start)
  // A task belongs to its folder: each run begins with the same state at the same place.
  const kept = join(scratch, `${name}-kept`)
  cpSync(start, kept, { recursive: true })
  const startAgain = () => {
    rmSync(start, { recursive: true, force: true })
    cpSync(kept, start, { recursive: true })
  }
  const started = performance.now()
  const ended = await run(start, act.args)
  const lasts = performance.now() - started
  if (act.isPython && ended.code >= 2 && ended.code !== 6) {
    console.log(`SKIPPED  kills of ${name}: ${ended.text.trim().split('\n').at(-1)}`)
    return
  }
  if (ended.code > 1 && ended.code !== 6) throw new Error(`${name} ends with ${ended.code}: ${ended.text}`)
  const after = filesOf(start)
  const changed = Object.keys({ ...before, ...after }).filter((path) => before[path] !== after[path])
  if (changed.length === 0 && name !== 'merge') throw new Error(`${name} changes nothing: ${ended.text}`)
  let own = 0
  for (let point = 0; point < Number(flags.points); point++) {
    startAgain()
    const { code } = await run(start, act.args, killTime(point) * lasts)
    if (code === null) own++
    problems(name, act, before, after, filesOf(start), 'after the kill')
    const again = await run(start, act.args)
    if (again.code === null || (again.code > 1 && again.code !== 6 && !refusesAgain.includes(name))) {
      lost++
      console.log(`${name}: run again, it ends with ${again.code}: ${again.text}`)
    }
    problems(name, act, before, after, filesOf(start), 'after it ran again')
  }
  killed += own
  console.log(
    `${name.padEnd(9)} ${own} kills in ${Math.round(lasts)} ms; it changes ${changed.join(', ') || 'no file of the user'}`,
  )
}

/** Every other kill is late: files are written at the end. */
function killTime(point) {
  return point % 2 === 0 ? random() : 0.7 + 0.4 * random()
}

/** A file of the user is as it was, or as a whole run leaves it; a test file keeps what the user wrote. */
function problems(name, act, before, after, found, when) {
  for (const path of Object.keys({ ...before, ...after })) {
    const isKept =
      act.isPython && path.startsWith('tests/') && (found[path] ?? '').includes(before[path] ?? '')
    if (found[path] === before[path] || found[path] === after[path] || isKept) continue
    lost++
    console.log(`${name}, ${when}: ${path} is ${JSON.stringify(found[path])}`)
  }
}

function run(cwd, args, killAfterMs) {
  return new Promise((done) => {
    const child = spawn(process.execPath, [cli, ...args], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NO_COLOR: '1' },
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
    child.once('exit', (code) => {
      clearTimeout(timer)
      // What it started ends by itself, or goes on for a moment.
      setTimeout(done, code === null ? 300 : 0, { code, text })
    })
  })
}

function filesOf(root) {
  const own = /^(?:reports|\.autotest|\.git|one|two|autotest\.decisions\.yaml|shop\.sqlite)|__pycache__/
  return Object.fromEntries(
    readTree(root)
      .filter(({ path, bytes }) => bytes !== null && !own.test(path))
      .map(({ path, bytes }) => [path, withoutTime(bytes.toString('latin1'))]),
  )
}

function withoutTime(text) {
  return text.replaceAll(/"generatedAt": "[^"]*"/g, '')
}

function write(root, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

function repository(root) {
  const git = (...args) => execFileSync('git', args, { cwd: root, stdio: 'pipe' })
  write(root, { '.gitignore': 'reports/\n.autotest/\n' })
  git('init', '--quiet')
  git('config', 'user.name', 'Tester')
  git('config', 'user.email', 'tester@example.com')
  git('add', '--all')
  git('commit', '--quiet', '--message=start')
}

/** The coder without a model changes code from a diagnosis only, which somebody has to ask for. */
async function firstGate(start) {
  const { text } = await run(start, acts.tdd.args)
  const gate = /answer (g-\w+)/.exec(text)?.[1]
  if (gate !== undefined) await run(start, ['gates', 'answer', gate, '--choice', 'A'])
}

/** Each machine has a copy of the project, and its reports are brought together. */
async function shards(start) {
  for (const [at, folder] of ['one', 'two'].entries()) {
    const machine = join(scratch, folder)
    cpSync(start, machine, {
      recursive: true,
      filter: (path) => !/[/\\](?:one|two)(?:[/\\]|$)/.test(path.slice(start.length)),
    })
    await run(machine, ['--no-repair', '--shard', `${at + 1}/2`])
    cpSync(join(machine, 'reports'), join(start, folder), { recursive: true })
  }
}

function sqlProject() {
  const period = 'day BETWEEN {{ period.start }} AND {{ period.end }}'
  const parameters =
    'parameters:\n  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand] } }\n  period: { type: date_range }\n'
  const expected = (what, market, from, to) =>
    `SELECT ${what} FROM orders WHERE day BETWEEN '${from}' AND '${to}' AND status = 'paid' AND market = '${market}'`
  const cases = [
    ['gmv_id', 'ID GMV in November 2025', expected('sum(amount) AS gmv', 'ID', '2025-11-01', '2025-11-30')],
    ['gmv_th', 'TH GMV in December 2025', expected('sum(amount) AS gmv', 'TH', '2025-12-01', '2025-12-31')],
    [
      'orders_id',
      'ID orders in November 2025',
      expected('count(*) AS orders', 'ID', '2025-11-01', '2025-11-30'),
    ],
    [
      'orders_th',
      'TH orders in December 2025',
      expected('count(*) AS orders', 'TH', '2025-12-01', '2025-12-31'),
    ],
  ]
  const row = ([id, question, sql]) =>
    `  - id: ${id}\n    question: ${question}\n    expected_sql: ${JSON.stringify(sql)}\n`
  return {
    'autotest.config.yaml': 'engine: sqlite:shop.sqlite\nas_of: 2025-12-31\n',
    'benchmarks/all.yaml': `cases:\n${cases.map(row).join('')}`,
    'kb/metrics/gmv.yaml': `metric: gmv\ntitle: Gross merchandise value\naliases: [GMV]\nsnippet: gmv.sql\n${parameters}`,
    'kb/metrics/orders.yaml': `metric: orders\ntitle: Orders\naliases: [orders]\nsnippet: orders.sql\n${parameters}`,
    'kb/snippets/gmv.sql': `SELECT sum(amount) AS gmv\nFROM orders\nWHERE ${period}\n  AND market = {{ market }}\n`,
    'kb/snippets/orders.sql': `SELECT count(*) AS orders\nFROM orders\nWHERE market = {{ market }} AND ${period}\n  AND status = 'open'\n`,
  }
}

function database(path) {
  const opened = new Sqlite(path)
  opened.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, market TEXT, day TEXT, amount REAL, status TEXT)')
  const insert = opened.prepare('INSERT INTO orders VALUES (?, ?, ?, ?, ?)')
  opened.transaction(() => {
    for (let id = 0; id < 900; id++) {
      const day = new Date(Date.UTC(2025, 8, 1 + (id % 122))).toISOString().slice(0, 10)
      insert.run(
        id,
        id % 3 === 0 ? 'TH' : 'ID',
        day,
        (id * 37) % 997,
        ['paid', 'paid', 'open', 'cancelled'][id % 4],
      )
    }
  })()
  opened.close()
}

function pythonProject() {
  return {
    'pyproject.toml': '',
    'src/pricing.py':
      'def total(price: int, count: int) -> int:\n    if count > 10:\n        return price * count - 5\n    return price * count\n',
    'tests/test_pricing.py': 'from pricing import total\n\n\ndef test_mine():\n    assert total(1, 1) == 1\n',
  }
}

function tddProject() {
  return {
    'src/shop/__init__.py': '',
    'src/shop/calc.py':
      'def discount(price, percent):\n    """The price less some percent."""\n    if percent > 100:\n        return price\n    return price + price * percent / 100\n',
    'tests/unit/test_mine.py': 'def test_mine():\n    assert True\n',
    'tasks/discount.yaml':
      'task: Discounts of whole percents\ndesign: A function of price and percent.\nacceptance_criteria:\n  - discount(100, 10) == 90\n  - discount(200, 50) == 100\ninterfaces:\n  - "src/shop/calc.py: def discount(price, percent)"\ntarget_test_path: tests/unit/shop/test_discount.py\n',
  }
}
