// Tests the extension in a real editor: code-server, driven by headless Chromium.
//
//   node packages/vscode/tests/editor/main.js [--pictures DIR] [--only PART]…
//
// AUTOTEST_EDITOR_DIR  where the editor and its tools are installed (some 500 MB); unset: a folder of the user's cache
// Prints `N passed, N failed` last. Exits with 0, and says SKIPPED, where the editor cannot be installed.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { benchmarkSteps } from './benchmark-steps.js'
import { debugSteps, writeTests } from './debug-steps.js'
import { home, install, load, startBrowser, startServer } from './editor.js'
import { latencySteps } from './latency-steps.js'
import { run } from './processes.js'
import { linkServer, repository, writeProject } from './project.js'
import { pythonSteps } from './python-steps.js'
import {
  killedServerSteps,
  missingServerSteps,
  otherVersionSteps,
  severalRootsSteps,
  trustSteps,
  writeOtherServer,
} from './server-steps.js'
import { Steps } from './steps.js'
import { survivorSteps } from './survivor-steps.js'
import { Workbench } from './workbench.js'

const { values } = parseArgs({
  options: { pictures: { type: 'string' }, only: { type: 'string', multiple: true } },
})
const here = import.meta.dirname
const extension = resolve(here, '../..')
const editor = process.env.AUTOTEST_EDITOR_DIR ?? join(homedir(), '.cache', 'autotest-editor')
const mostBytes = 2_000_000

const setup = spawnSync('bash', [join(here, 'setup.sh'), editor], { encoding: 'utf8' })
if (setup.status !== 0) {
  console.log(`SKIPPED  the tests in an editor: it cannot be installed in ${editor}`)
  console.log(`${setup.stdout}${setup.stderr}`.split('\n').slice(-8).join('\n'))
  console.log('0 passed, 0 failed')
  process.exit(0)
}
if (!existsSync(join(repository, 'dist/cli/main.js')))
  execFileSync('npm', ['run', 'build'], { cwd: repository })

const kit = load(editor)
const scratch = mkdtempSync(join(tmpdir(), 'autotest-editor-'))
const pictures = resolve(values.pictures ?? join(scratch, 'pictures'))
const vsix = join(scratch, 'autotest.vsix')
const open = []
const pages = []
const steps = new Steps(pictures, () => pages)
console.log(`code-server ${kit.codeServerVersion} (VS Code ${kit.vscodeVersion}), Node ${process.version}`)

/** Opens a workbench of its own with the extension, and does work with it. */
async function inEditor({ settings = {}, isTrusted = true, prepare, extensions = [vsix] }, work) {
  const place = home({ 'testing.saveBeforeTest': false, 'files.autoSave': 'off', ...settings })
  open.push(() => rmSync(place.root, { recursive: true, force: true, maxRetries: 3 }))
  const opened = (await prepare(place.folder, place)) ?? place.folder
  for (const each of extensions) await install(kit, place, each)
  const server = await startServer(kit, place, { isTrusted })
  open.push(() => server.stop())
  const browser = await startBrowser(kit)
  open.push(() => browser.stop())
  const w = await Workbench.open(browser.browser, server.url, opened)
  pages.push(w.page)
  try {
    await work({ steps, w, page: w.page, folder: place.folder, place, server })
  } catch (error) {
    cpSync(join(place.data, 'logs'), join(pictures, 'logs'), { recursive: true, force: true })
    throw error
  } finally {
    pages.splice(0)
    await closeAll()
  }
}

async function closeAll() {
  for (const close of open.splice(0).reverse()) await close()
}
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => closeAll().finally(() => process.exit(1)))

/** The usual project. */
function project(folder) {
  writeProject(folder)
  linkServer(folder)
}

const parts = {
  work: () =>
    inEditor({ prepare: project }, async (context) => {
      await pythonSteps(context)
      await benchmarkSteps(context)
    }),
  dark: () =>
    inEditor(
      { prepare: project, settings: { 'workbench.colorTheme': 'Default Dark Modern' } },
      survivorSteps,
    ),
  server: () =>
    inEditor({ prepare: project, settings: { 'autotest.generate.seconds': 20 } }, killedServerSteps),
  async missing() {
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', scratch], {
      cwd: repository,
    })
    const [name] = readdirSync(scratch).filter((each) => each.endsWith('.tgz'))
    const tarball = join(scratch, name)
    await inEditor({ prepare: (folder) => writeProject(folder) }, (context) =>
      missingServerSteps({ ...context, tarball }),
    )
  },
  version: () =>
    inEditor(
      {
        prepare(folder) {
          writeProject(folder)
          writeOtherServer(folder)
        },
      },
      otherVersionSteps,
    ),
  trust: () =>
    inEditor(
      { prepare: project, isTrusted: false, settings: { 'security.workspace.trust.enabled': true } },
      trustSteps,
    ),
  async roots() {
    const folders = []
    const pythons = {}
    const python = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], {
      encoding: 'utf8',
    }).trim()
    await inEditor(
      {
        extensions: [vsix, await packed('python-extension')],
        prepare(folder, place) {
          for (const name of ['alpha', 'beta']) {
            const root = join(folder, name)
            mkdirSync(root, { recursive: true })
            writeFileSync(join(root, `${name}.py`), 'def twice(n: int) -> int:\n    return n * 2\n')
            linkServer(root)
            folders.push(root)
          }
          // A link, which stands for what it leads to, and a virtual environment, which does not.
          const [alpha, beta] = folders
          const chosen = {
            [alpha]: join(place.root, 'a-python'),
            [beta]: join(place.root, 'venv/bin/python'),
          }
          symlinkSync(python, chosen[alpha])
          const venv = ['-m', 'venv', '--without-pip', '--system-site-packages', join(place.root, 'venv')]
          execFileSync(python, venv)
          writeFileSync(join(place.root, 'pythons.json'), JSON.stringify(chosen))
          Object.assign(pythons, { [alpha]: realpathSync(python), [beta]: chosen[beta] })
          const file = join(folder, 'both.code-workspace')
          writeFileSync(file, JSON.stringify({ folders: folders.map((path) => ({ path })) }))
          return file
        },
      },
      (context) => severalRootsSteps({ ...context, folders, pythons }),
    )
  },
  async debug() {
    const python = '/usr/bin/python3'
    if (spawnSync(python, ['-c', 'import debugpy, pytest']).status !== 0) {
      console.log(`SKIPPED  debugging a test: ${python} has no debugpy and pytest`)
      return
    }
    await inEditor(
      {
        extensions: [vsix, await packed('debug-extension')],
        settings: { 'autotest.python.path': python },
        prepare(folder) {
          project(folder)
          writeTests(folder)
        },
      },
      debugSteps,
    )
  },
  async latency() {
    await inEditor({ prepare: project, extensions: [vsix, await packed('bare-extension')] }, latencySteps)
  },
}

/** Packs an extension that stands beside this file. */
async function packed(name) {
  const file = join(scratch, `${name}.vsix`)
  await run(
    kit.node,
    [kit.vsce, 'package', '--no-dependencies', '--allow-missing-repository', '--skip-license', '-o', file],
    { cwd: join(here, name) },
  )
  return file
}

try {
  await steps.step('package: a .vsix under 2 MB', async () => {
    execFileSync('node', [join(extension, 'build.js')])
    await run(
      kit.node,
      [kit.vsce, 'package', '--no-dependencies', '--allow-missing-repository', '-o', vsix],
      {
        cwd: extension,
      },
    )
    const { size } = statSync(vsix)
    if (size >= mostBytes) throw new Error(`${size} bytes`)
    return `${size} bytes`
  })
  for (const [name, part] of Object.entries(parts)) if (values.only?.includes(name) ?? true) await part()
} catch {
  // The step has told it.
} finally {
  await closeAll()
  if (values.pictures === undefined && steps.failed === 0) rmSync(scratch, { recursive: true, force: true })
  else console.log(`pictures: ${pictures}`)
}
console.log(`${steps.passed} passed, ${steps.failed} failed`)
process.exitCode = steps.failed === 0 ? 0 : 1
