// A real VS Code (code-server) driven by a real browser (Debian's chromium through playwright-core). Everything lives in one
// temporary folder and is stopped by the process ids that were started here.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { end, run, tree } from './processes.js'

/** What setup.sh put into a folder. */
export function load(dir) {
  dir = path.resolve(dir)
  const env = JSON.parse(fs.readFileSync(path.join(dir, 'editor.json'), 'utf8'))
  const tools = path.join(dir, 'tools')
  return {
    ...env,
    dir,
    node: path.resolve(dir, env.node),
    entry: path.join(dir, env.codeServer, 'out/node/entry.js'),
    vsce: path.join(tools, 'node_modules/@vscode/vsce/vsce'),
    playwright: createRequire(path.join(tools, 'package.json'))('playwright-core'),
  }
}

/** Settings that keep a fresh profile quiet. */
const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.welcomePage.walkthroughs.openOnInstall': false,
  'workbench.welcomePage.experimentalOnboarding': false,
  'telemetry.telemetryLevel': 'off',
  'security.workspace.trust.enabled': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'git.openRepositoryInParentFolders': 'never',
  'git.autofetch': false,
  'npm.fetchOnlinePackageInfo': false,
  'json.schemaDownload.enable': false,
  'editor.minimap.enabled': false,
  'editor.codeLens': true,
  'editor.glyphMargin': true,
  'window.confirmBeforeClose': 'never',
  'testing.automaticallyOpenPeekView': 'never',
  'testing.automaticallyOpenTestResults': 'neverOpen',
}

/** A temp home with a profile of its own, for one run. */
export function home(settings = {}) {
  // short, since VS Code's sockets live here and a socket's path may have 107 bytes
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'ed-'))
  const h = {
    root,
    data: path.join(root, 'data'),
    exts: path.join(root, 'exts'),
    folder: path.join(root, 'work'),
  }
  fs.mkdirSync(path.join(root, 'run'), { mode: 0o700 })
  fs.mkdirSync(h.exts)
  fs.mkdirSync(h.folder)
  // Those of a machine count where the files are, which is the second place for a remote window like this one.
  for (const place of ['User', 'Machine']) {
    fs.mkdirSync(path.join(h.data, place), { recursive: true })
    fs.writeFileSync(
      path.join(h.data, place, 'settings.json'),
      JSON.stringify({ ...SETTINGS, ...settings }, null, 2),
    )
  }
  fs.writeFileSync(path.join(root, 'config.yaml'), 'auth: none\n')
  // The editor takes its path from a login shell, whose first Node need not be the one that autotest is installed for.
  fs.writeFileSync(
    path.join(root, '.profile'),
    `export PATH=${JSON.stringify(path.dirname(process.execPath))}:"$PATH"\n`,
  )
  h.env = {
    ...process.env,
    HOME: root,
    XDG_CONFIG_HOME: root,
    XDG_DATA_HOME: root,
    XDG_CACHE_HOME: root,
    XDG_RUNTIME_DIR: path.join(root, 'run'),
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
  } // no look-ups in an extension gallery
  for (const k of Object.keys(h.env))
    if (/^(VSCODE_|CODE_SERVER|ELECTRON_|PASSWORD$|HASHED_PASSWORD$|PORT$)/.test(k)) delete h.env[k]
  h.args = ['--config', path.join(root, 'config.yaml'), '--user-data-dir', h.data, '--extensions-dir', h.exts]
  return h
}

export const install = (kit, h, vsix) =>
  run(kit.node, [kit.entry, ...h.args, '--install-extension', vsix, '--force'], { env: h.env })

/** Start code-server on a port that the system picks. */
export async function startServer(kit, h, { timeout = 60_000, isTrusted = true } = {}) {
  const p = spawn(
    kit.node,
    [
      kit.entry,
      ...h.args,
      '--auth',
      'none',
      '--bind-addr',
      '127.0.0.1:0',
      '--disable-telemetry',
      '--disable-update-check',
      ...(isTrusted ? ['--disable-workspace-trust'] : []),
      '--disable-getting-started-override',
      '--disable-proxy',
    ],
    { env: h.env, cwd: h.root, stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let log = ''
  const url = await new Promise((ok, no) => {
    const timer = setTimeout(
      () => no(new Error(`code-server said no address in ${timeout} ms:\n${log}`)),
      timeout,
    )
    const on = (d) => {
      log += d
      const m = /HTTP server listening on (http:\/\/127\.0\.0\.1:[1-9]\d*)/.exec(log)
      if (m) {
        clearTimeout(timer)
        ok(m[1])
      }
    }
    p.stdout.on('data', on)
    p.stderr.on('data', on)
    p.on('error', no)
    p.on('exit', (rc) => {
      clearTimeout(timer)
      no(new Error(`code-server ended ${rc}:\n${log}`))
    })
  }).catch(async (e) => {
    await end(tree(p.pid))
    throw e
  })
  return { url, pid: p.pid, log: () => log, stop: () => end(tree(p.pid)) }
}

/** Start the browser; its own pid is looked up among our children. */
export async function startBrowser(kit) {
  const children = () => tree(process.pid, 1).slice(1)
  const before = new Set(children())
  const browser = await kit.playwright.chromium.launch({
    executablePath: kit.chromium,
    headless: true,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-dev-shm-usage',
    ],
  })
  const pid = children().find((p) => !before.has(p))
  return {
    browser,
    pid,
    stop: async () => {
      const all = tree(pid)
      await browser.close().catch(() => undefined)
      return end(all)
    },
  }
}
