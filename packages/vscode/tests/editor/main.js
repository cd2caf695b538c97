// Tests the extension in a real editor: code-server, driven by headless Chromium.
//
//   node packages/vscode/tests/editor/main.js [--pictures DIR] [--only PART]
//
// AUTOTEST_EDITOR_DIR  where the editor and its tools are installed (some 500 MB); unset: a folder of the user's cache
// Prints `N passed, N failed` last. Exits with 0, and says SKIPPED, where the editor cannot be installed.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { benchmarkSteps } from './benchmark-steps.js'
import { home, install, load, sh, startBrowser, startServer, Workbench } from './editor.js'
import { linkServer, repository, writeProject } from './project.js'
import { pythonSteps } from './python-steps.js'
import { Steps } from './steps.js'

const { values } = parseArgs({ options: { pictures: { type: 'string' }, only: { type: 'string' } } })
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
export async function inEditor({ settings = {}, prepare, extensions = [vsix] }, work) {
  const place = home({ 'testing.saveBeforeTest': false, 'files.autoSave': 'off', ...settings })
  open.push(() => rmSync(place.root, { recursive: true, force: true, maxRetries: 3 }))
  prepare(place.folder)
  for (const each of extensions) await install(kit, place, each)
  const server = await startServer(kit, place)
  open.push(() => server.stop())
  const browser = await startBrowser(kit)
  open.push(() => browser.stop())
  const w = await Workbench.open(browser.browser, server.url, place.folder)
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

const parts = {
  work: () =>
    inEditor(
      {
        prepare(folder) {
          writeProject(folder)
          linkServer(folder)
        },
      },
      async (context) => {
        await pythonSteps(context)
        await benchmarkSteps(context)
      },
    ),
}

try {
  await steps.step('package: a .vsix under 2 MB', async () => {
    execFileSync('node', [join(extension, 'build.js')])
    await sh(kit.node, [kit.vsce, 'package', '--no-dependencies', '--allow-missing-repository', '-o', vsix], {
      cwd: extension,
    })
    const { size } = statSync(vsix)
    if (size >= mostBytes) throw new Error(`${size} bytes`)
    return `${size} bytes`
  })
  for (const [name, part] of Object.entries(parts))
    if (values.only === undefined || values.only === name) await part()
} catch {
  // The step has told it.
} finally {
  await closeAll()
  if (values.pictures === undefined && steps.failed === 0) rmSync(scratch, { recursive: true, force: true })
  else console.log(`pictures: ${pictures}`)
}
console.log(`${steps.passed} passed, ${steps.failed} failed`)
process.exitCode = steps.failed === 0 ? 0 : 1
