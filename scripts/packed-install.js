// Installs the packed package as its users do, with npm, pnpm and Yarn 1 on each Node, and runs it there: the demo
// (DuckDB) and a small project (SQLite). A line each, and `N passed, N failed` last.
//   node scripts/packed-install.js                               every package manager on every Node
//   node scripts/packed-install.js --smoke                       npm on Node 20, and all of them on Node 24
//   node scripts/packed-install.js --with npm,pnpm --node 20,24
//   --packed FILE       an archive that is there, instead of a new one
//   --no-demo           the small project only
//   --compiled          on Node 20: the SQLite that is compiled in this checkout, which takes a minute less
// Nodes are this one, those of AUTOTEST_NODES (`<folder>/<version>/node_modules/node/bin/node`), or packages of the registry.
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { megabytes, writeSmallProject } from './packed-project.js'

const { values } = parseArgs({
  options: {
    smoke: { type: 'boolean', default: false },
    with: { type: 'string', default: 'npm,pnpm,yarn' },
    node: { type: 'string', default: '20,22,24,26' },
    packed: { type: 'string' },
    'no-demo': { type: 'boolean', default: false },
    compiled: { type: 'boolean', default: false },
  },
})
// Yarn 1 does not know of C libraries, and takes DuckDB for glibc and for musl: 71 MB more than is used.
const most = { megabytes: { npm: 180, pnpm: 180, yarn: 180 + 75 }, files: 450 }
const root = fileURLToPath(new URL('..', import.meta.url))
const here = process.versions.node.split('.')[0] ?? ''
const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'autotest-packed-')))
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))

/** What may be said on standard error: that a database is made, which case of the demo fails first, and that SQLite is compiled once. */
const expected = /^(?:note {2}building |note {2}first failing case: |autotest: compiling SQLite for Node 20)/u
const nothing = { out: '', err: '', seconds: '0' }
const adding = {
  npm: ['install', '--no-audit', '--no-fund'],
  pnpm: ['add'],
  yarn: ['add', '--silent', '--non-interactive'],
}

if (run('npm', ['view', 'better-sqlite3', 'version'], { cwd: scratch, timeout: 60_000 }).code !== 0) {
  console.log('SKIPPED: no registry can be reached, so nothing can be installed')
  console.log('0 passed, 0 failed')
  process.exit(0)
}
const tools = installTools()
const packed = values.packed === undefined ? pack() : realpathSync(values.packed)
let passed = 0
let failed = 0
for (const [manager, major] of combinations()) {
  const problems = check(manager, major)
  if (problems.length === 0) passed++
  else failed++
  for (const problem of problems) console.log(`  ${problem.trimEnd().replaceAll('\n', '\n  ')}`)
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

function combinations() {
  const managers = values.with.split(',')
  if (!values.smoke) return values.node.split(',').flatMap((major) => managers.map((name) => [name, major]))
  return [['npm', '20'], ...managers.map((name) => [name, '24'])]
}

/** What is wrong with one combination; its line is printed. */
function check(manager, major) {
  const label = `${manager.padEnd(5)} Node ${major}`
  const node = nodeOf(major)
  if (node === undefined) {
    console.log(`${label}  not installed: there is no Node ${major}`)
    return ['no binary of this Node: set AUTOTEST_NODES']
  }
  const dir = join(scratch, `${manager}-${major}`)
  mkdirSync(dir)
  writeFileSync(join(dir, 'package.json'), '{ "private": true, "license": "MIT" }\n')
  const env = environment(node)
  const install = run(tools[manager], [...adding[manager], packed], { cwd: dir, env })
  const modules = join(dir, 'node_modules')
  const own = join(modules, 'autotest-harness')
  const size = existsSync(modules) ? megabytes(modules) : 0
  if (values.compiled && existsSync(join(root, 'sqlite12')) && existsSync(own))
    cpSync(join(root, 'sqlite12'), join(own, 'sqlite12'), { recursive: true })
  writeSmallProject(dir)
  const bin = join(modules, '.bin', 'autotest')
  const demo = values['no-demo']
    ? { ...nothing, code: 0 }
    : run(bin, ['demo', '--dir', join(dir, 'demo')], { cwd: dir, env })
  const small = run(bin, [], { cwd: dir, env })
  const unexpected = [install, demo, small].flatMap(({ err }) =>
    err.split('\n').filter((line) => line.trim() !== '' && !expected.test(line)),
  )
  const parts = [
    `install ${install.code} in ${install.seconds} s`,
    values['no-demo'] ? 'no demo' : `demo ${demo.code} in ${demo.seconds} s`,
    `SQLite ${small.code} in ${small.seconds} s`,
    `${size} MB`,
    `${unexpected.length} unexpected lines`,
  ]
  console.log(`${label}  ${parts.join(' · ')}`)
  const files = existsSync(own) ? readdirSync(join(own, 'dist'), { recursive: true }).length : 0
  const problems = [install, demo, small].flatMap(({ code, out, err }) =>
    code === 0 ? [] : [`exit code ${code}:\n${out.slice(-3000)}${err.slice(-3000)}`],
  )
  if (unexpected.length > 0) problems.push(`on standard error:\n${unexpected.join('\n')}`)
  const megabytesAtMost = most.megabytes[manager]
  if (size > megabytesAtMost) problems.push(`${size} MB are more than ${megabytesAtMost}`)
  if (!existsSync(join(own, 'dist/sbom.cdx.json'))) problems.push('dist/sbom.cdx.json is missing')
  if (files > most.files) problems.push(`${files} files in dist are more than ${most.files}`)
  rmSync(dir, { recursive: true, force: true })
  return problems
}

function pack() {
  const { code, out, err } = run('npm', ['pack', '--silent', '--pack-destination', scratch], { cwd: root })
  if (code !== 0) throw new Error(`npm pack ended with ${code}: ${out}${err}`)
  return join(scratch, out.trim().split('\n').at(-1) ?? '')
}

/** Path of each package manager; those that this machine may not have come from the registry. */
function installTools() {
  const dir = join(scratch, 'tools')
  mkdirSync(dir)
  writeFileSync(join(dir, 'package.json'), '{ "private": true }\n')
  const wanted = values.with.split(',').filter((name) => name !== 'npm')
  if (wanted.length > 0) {
    const { code, err } = run(
      'npm',
      ['install', ...wanted.map((name) => (name === 'yarn' ? 'yarn@1' : name))],
      {
        cwd: dir,
      },
    )
    if (code !== 0) throw new Error(`pnpm and Yarn cannot be installed: ${err}`)
  }
  const bin = (name) => join(dir, 'node_modules', '.bin', name)
  return { npm: 'npm', pnpm: bin('pnpm'), yarn: bin('yarn') }
}

function nodeOf(major) {
  if (major === here) return process.execPath
  const given = process.env['AUTOTEST_NODES'] ?? ''
  const version = existsSync(given) && readdirSync(given).find((name) => name.startsWith(`${major}.`))
  const there = join(given, version || major, 'node_modules', 'node', 'bin', 'node')
  if (existsSync(there)) return realpathSync(there)
  const dir = join(scratch, `node-${major}`)
  const name = `node-${process.platform}-${process.arch}`
  const path = join(dir, 'node_modules', name, 'bin', 'node')
  if (!existsSync(path)) {
    mkdirSync(dir, { recursive: true })
    writeFileSync(join(dir, 'package.json'), '{ "private": true }\n')
    run('npm', ['install', '--no-audit', '--no-fund', `${name}@${major}`], { cwd: dir })
  }
  return existsSync(path) ? path : undefined
}

/** That Node first on the PATH, and nothing of the npm that runs this script. */
function environment(node) {
  const entries = Object.entries(process.env).filter(([name]) => !/^(?:npm_|CI$)/u.test(name))
  return {
    ...Object.fromEntries(entries),
    PATH: [dirname(node), process.env['PATH']].join(delimiter),
  }
}

function run(program, args, options) {
  const start = performance.now()
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
    ...options,
  })
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  return { code: error === undefined ? status : error.message, out: stdout ?? '', err: stderr ?? '', seconds }
}
