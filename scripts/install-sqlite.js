// SQLite for a Node without Node-API 10, which every Node 20 is: version 12 of better-sqlite3, from the locked list in
// sqlite12/. The package brings version 13 for every newer Node, and this does nothing there. It is not an install script of
// the package: pnpm ends an installation with exit 1 where a package has one, and npm warns, on every Node.
// `--first-use` is what the program says: then npm's ignore-scripts is heeded, and whoever runs this by hand decides.
import { spawn } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { delimiter, dirname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = join(root, 'sqlite12')
// Named for the binary interface: what was compiled for one Node is of no use to the next.
const target = join(folder, `node-${process.versions.modules}`)
const driver = join('node_modules', 'better-sqlite3')
const binary = join(driver, 'build', 'Release', 'better_sqlite3.node')
const again = `node "${fileURLToPath(import.meta.url)}"`
const newer = 'Node 22.14 or newer needs no compiler'

if (Number(process.versions.napi) < 10 && !isInstalled()) {
  const problem = await install()
  if (problem !== undefined) {
    process.stderr.write(`autotest: ${problem}\n`)
    process.exitCode = 2
  }
}

/** Whether it is there, as the locked list has it now. */
function isInstalled() {
  const locked = (place) => readFileSync(join(place, 'package-lock.json'), 'utf8')
  return existsSync(join(target, binary)) && locked(target) === locked(folder)
}

/** What went wrong, in one sentence; nothing where the driver is there now. */
async function install() {
  let staging
  const interrupted = () => {
    if (staging !== undefined) rmSync(staging, { recursive: true, force: true })
    process.exit(130)
  }
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted)
  try {
    removeAbandoned()
    // Beside its place: it gets there by one renaming, whoever else is at it.
    staging = mkdtempSync(join(folder, '.new-'))
  } catch (error) {
    return `SQLite must be compiled for Node ${process.versions.node} once, and ${folder} cannot be written (${error.code}): run \`${again}\` as a user who may; ${newer}`
  }
  try {
    process.stderr.write(
      `autotest: compiling SQLite for Node ${process.versions.node}, this once; it takes a minute or two (${newer})\n`,
    )
    const { code, said } = await npmCi(staging)
    if (code !== 0 || !existsSync(join(staging, binary))) return whyNot(code, said)
    prune(join(staging, driver))
    if (!isInstalled()) {
      rmSync(target, { recursive: true, force: true })
      // A temporary folder is its owner's alone, and whoever installs may not be who runs.
      chmodSync(staging, 0o755)
      renameSync(staging, target)
    }
    return undefined
  } catch (error) {
    return isInstalled() ? undefined : whyNot(undefined, String(error))
  } finally {
    rmSync(staging, { recursive: true, force: true })
  }
}

function npmCi(staging) {
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(join(folder, name), join(staging, name))
  // Whatever registry the project was installed from.
  const settings = join(root.split(`${sep}node_modules${sep}`)[0] ?? root, '.npmrc')
  if (existsSync(settings)) copyFileSync(settings, join(staging, '.npmrc'))
  const flags = ['ci', '--prefix', staging, '--loglevel=error', '--no-audit', '--no-fund']
  if (!process.argv.includes('--first-use')) flags.push('--ignore-scripts=false')
  const [program, ...before] = npm()
  return new Promise((done) => {
    const child = spawn(program, [...before, ...flags], {
      cwd: staging,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: program.endsWith('.cmd'),
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        said = `${said}${chunk}`.slice(-20_000)
      })
    }
    child.on('error', (error) => done({ code: undefined, said: String(error) }))
    child.on('close', (code) => done({ code, said }))
  })
}

/** The npm that runs this, or that of this very Node, or the first on PATH. */
function npm() {
  const bin = dirname(process.execPath)
  const scripts = [
    process.env['npm_execpath'],
    join(bin, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(bin, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
  ]
  const script = scripts.find((path) => path?.endsWith('npm-cli.js') && existsSync(path))
  if (script !== undefined) return [process.execPath, script]
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm']
}

/** Without what a package manager that runs this sets for its own installation: `--global`, `--omit`, a prefix. */
function environment() {
  const kept =
    /^npm_config_(?:registry|cache|userconfig|globalconfig|nodedir|devdir|disturl|python|ca|cafile|strict_ssl|\w*proxy|offline|prefer_offline|ignore_scripts|build_from_source|\/\/.*|@.*)$/iu
  const entries = Object.entries(process.env).filter(([name]) => !/^npm_/iu.test(name) || kept.test(name))
  const path = Object.keys(process.env).find((name) => /^path$/iu.test(name)) ?? 'PATH'
  return {
    ...Object.fromEntries(entries),
    [path]: [dirname(process.execPath), process.env[path] ?? ''].join(delimiter),
  }
}

function whyNot(code, said) {
  const start = `SQLite could not be compiled for Node ${process.versions.node}`
  if (code === 0)
    return `SQLite is not compiled for Node ${process.versions.node}, since npm is set to ignore scripts: run \`${again}\`; ${newer}`
  const missing = ['python3', 'make', 'g++'].filter((name) => !onPath(name))
  if (missing.length > 0 && process.platform !== 'win32') {
    return `${start}: ${missing.join(', ')} ${missing.length > 1 ? 'are' : 'is'} missing; install them (Debian and Ubuntu: \`apt-get install python3 make g++\`) and try again; ${newer}`
  }
  if (/ENOENT/u.test(said) && code === undefined) return `${start}: npm is not on the PATH; ${newer}`
  const lines = said
    .split('\n')
    .filter((line) => /(?:error|ERR)\b/u.test(line) && !/A complete log/u.test(line))
  const reason = (lines[0] ?? said.trim().split('\n').at(-1) ?? '')
    .replace(/^npm (?:error|ERR!) /u, '')
    .trim()
  return `${start}: ${reason || `npm ended with exit code ${code}`}; \`npm ci\` in "${folder}" shows all of it; ${newer}`
}

function onPath(name) {
  return (process.env['PATH'] ?? '').split(delimiter).some((place) => {
    try {
      accessSync(join(place, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Of 32 MB only the 2 of the binary are read again. */
function prune(path) {
  for (const part of ['deps', 'src']) rmSync(join(path, part), { recursive: true, force: true })
  for (const part of readdirSync(join(path, 'build'))) {
    if (part !== 'Release') rmSync(join(path, 'build', part), { recursive: true, force: true })
  }
  for (const part of readdirSync(join(path, 'build', 'Release'))) {
    if (part !== 'better_sqlite3.node')
      rmSync(join(path, 'build', 'Release', part), { recursive: true, force: true })
  }
}

/** What a process that was killed left behind. */
function removeAbandoned() {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (name.startsWith('.new-') && Date.now() - statSync(path).mtimeMs > 3_600_000) {
      rmSync(path, { recursive: true, force: true })
    }
  }
}
