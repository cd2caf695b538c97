// Projects whose knowledge is in a team's own files: how many cases are scored, and what becomes of faults.
// Usage: node bench/knowledge.js [PROJECT[/FAULT]…]; needs `npm run build`. Exits 1 if a deliberate change was undone.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const home = process.env.KNOWLEDGE_PROJECTS ?? join(dirname(fileURLToPath(import.meta.url)), 'knowledge')
const cli = resolve('dist/cli/main.js')
const named = process.argv.slice(2)
const base = mkdtempSync(join(tmpdir(), 'knowledge-'))
const totals = {
  scored: 0,
  cases: 0,
  repaired: 0,
  drifts: 0,
  lines: 0,
  needed: 0,
  undone: 0,
  deliberate: 0,
  reverted: 0,
  written: 0,
}

for (const project of readdirSync(home).sort()) {
  const setup = JSON.parse(readFileSync(join(home, project, 'project.json'), 'utf8'))
  for (const fault of [undefined, ...setup.faults]) {
    const name = `${project}/${fault?.id ?? 'clean'}`
    if (named.length > 0 && !named.some((each) => name === each || name.startsWith(`${each}/`))) continue
    report(name, setup, fault, measure(project, setup, fault))
  }
}
if (process.env.KEEP === undefined) rmSync(base, { recursive: true, force: true })
else console.log(base)
const { scored, cases, repaired, drifts, lines, needed, undone, deliberate, reverted, written } = totals
console.log(`clean projects: ${scored} of ${cases} cases scored`)
console.log(
  `faults repaired: ${repaired} of ${drifts}, ${lines} lines changed where the faults had changed ${needed}`,
)
console.log(
  `deliberate changes undone: ${undone} of ${deliberate}; same bytes after revert: ${reverted} of ${written}`,
)
process.exit(undone > 0 ? 1 : 0)

function measure(project, setup, fault) {
  const folder = join(base, `${project}-${fault?.id ?? 'clean'}`)
  const git = (...args) =>
    execFileSync('git', ['-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
  cpSync(join(home, project, 'files'), folder, { recursive: true })
  mkdirSync(join(folder, 'benchmarks'))
  writeFileSync(join(folder, '.gitignore'), 'data/\nreports/\n.autotest/\nout.json\n')
  writeFileSync(join(folder, '.gitattributes'), '* -text\n')
  const cases = setup.cases.map(([id, question, sql]) => ({ id, question, expected_sql: sql }))
  writeFileSync(join(folder, 'benchmarks', 'cases.yaml'), JSON.stringify({ cases }, undefined, 1))
  const config = {
    kb: setup.kb,
    engine: 'sqlite:data/data.db',
    fixture: 'data/schema.sql',
    as_of: setup.as_of,
    benchmarks: 'benchmarks',
  }
  writeFileSync(join(folder, 'autotest.config.yaml'), JSON.stringify(config, undefined, 1))
  mkdirSync(join(folder, 'data'))
  cpSync(join(home, project, 'schema.sql'), join(folder, 'data', 'schema.sql'))
  const file = fault && join(folder, fault.file)
  const put = () => {
    const text = readFileSync(file, 'utf8')
    if (text.split(fault.from).length !== 2)
      throw new Error(`${project}/${fault.id}: its text is not there once`)
    writeFileSync(
      file,
      text.replace(fault.from, () => fault.to),
    )
  }
  git('init', '-q')
  if (fault?.kind === 'initial') put()
  git('add', '.')
  git('commit', '-qm', 'Knowledge and questions')
  writeFileSync(join(folder, 'README.md'), '# Analytics\n')
  git('add', '.')
  git('commit', '-qm', 'Add a readme')
  if (fault !== undefined && fault.kind !== 'initial') {
    put()
    git('commit', '-qam', fault.message)
  }
  const before = fault && readFileSync(file)
  const run = spawnSync('node', [cli, '--no-commit', '--output', 'out.json'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 180_000,
  })
  const out = existsSync(join(folder, 'out.json'))
    ? JSON.parse(readFileSync(join(folder, 'out.json'), 'utf8'))
    : undefined
  const changed = git('diff', '--numstat').trim().split('\n').filter(Boolean)
  const count = changed.reduce(
    (sum, line) => sum + Number(line.split('\t')[0]) + Number(line.split('\t')[1]),
    0,
  )
  const isWhole = fault !== undefined && readFileSync(file, 'utf8').includes(fault.from)
  let isReverted
  if (changed.length > 0) {
    spawnSync('node', [cli, 'revert', 'last'], { cwd: folder, encoding: 'utf8' })
    isReverted = fault !== undefined && Buffer.compare(before, readFileSync(file)) === 0
  }
  return { run, out, changed, count, isWhole, isReverted }
}

function report(name, setup, fault, { run, out, changed, count, isWhole, isReverted }) {
  const sum = out?.summary ?? {}
  const left = (sum.failed ?? 0) + (sum.unproven ?? 0) + (sum.errored ?? 0)
  if (fault === undefined) {
    totals.cases += setup.cases.length
    totals.scored += sum.passed ?? 0
  } else if (fault.kind === 'deliberate') {
    totals.deliberate++
    if (changed.length > 0) totals.undone++
  } else {
    totals.drifts++
    if (changed.length > 0 && (sum.repaired ?? 0) > 0) {
      totals.repaired++
      totals.lines += count
      totals.needed += linesOf(fault)
    }
  }
  if (isReverted !== undefined) {
    totals.written++
    if (isReverted) totals.reverted++
  }
  console.log(
    name.padEnd(28),
    `exit ${run.status}  passed ${sum.passed ?? '-'} repaired ${sum.repaired ?? '-'} failed ${left} skipped ${sum.skipped ?? '-'}`,
    changed.length > 0
      ? `${count} lines${isWhole ? ', as it was' : ''}${isReverted ? '' : ', NOT reverted'}`
      : '',
    (out?.repairs ?? []).map(({ grade }) => grade).join(','),
    run.status > 3 || out === undefined ? run.stderr.slice(0, 300) : '',
  )
}

/** Lines, removed and added, of the smallest change that takes a fault back. */
function linesOf({ from, to }) {
  const [a, b] = [from.split('\n'), to.split('\n')]
  const same = a.filter((line) => b.includes(line)).length
  return a.length - same + (b.length - b.filter((line) => a.includes(line)).length)
}
