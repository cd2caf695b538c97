// A real VS Code (code-server) driven by a real browser (Debian's chromium through playwright-core). Everything lives in one
// temporary folder and is stopped by the process ids that were started here.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'

/** What editor-setup.sh put into dir. */
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

/** Run one command to its end; its output, or an error that shows it. */
export function sh(cmd, args, opts = {}) {
  return new Promise((ok, no) => {
    const p = spawn(cmd, args, { stdio: ['ignore', 'pipe', 'pipe'], ...opts })
    let out = ''
    p.stdout.on('data', (d) => (out += d))
    p.stderr.on('data', (d) => (out += d))
    p.on('error', no)
    p.on('close', (rc) =>
      rc === 0 ? ok(out) : no(new Error(`${path.basename(args[0] ?? cmd)} ended ${rc}:\n${out}`)),
    )
  })
}

/** Ids of the processes below pid, itself first, from /proc. */
export function tree(pid, depth = 99) {
  const kids = new Map()
  for (const d of fs.readdirSync('/proc').filter((d) => /^\d+$/.test(d))) {
    try {
      const stat = fs.readFileSync(`/proc/${d}/stat`, 'utf8')
      const ppid = +stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
      if (!kids.has(ppid)) kids.set(ppid, [])
      kids.get(ppid).push(+d)
    } catch {
      /* gone meanwhile */
    }
  }
  const out = []
  const walk = (p, d) => {
    out.push(p)
    if (d > 0) (kids.get(p) ?? []).forEach((k) => void walk(k, d - 1))
  }
  walk(pid, depth)
  return out.filter((p) => fs.existsSync(`/proc/${p}`))
}

const alive = (p) => {
  try {
    process.kill(p, 0)
    return !/^State:\s+Z/m.test(fs.readFileSync(`/proc/${p}/status`, 'utf8'))
  } catch {
    return false
  }
}
const sleep = (ms) => new Promise((r) => setTimeout(r, ms))

/** End these ids: TERM, then KILL for what is left. */
async function end(pids) {
  for (const p of pids)
    try {
      process.kill(p, 'SIGTERM')
    } catch {
      /* gone */
    }
  for (let i = 0; i < 50 && pids.some(alive); i++) await sleep(100)
  const left = pids.filter(alive)
  for (const p of left)
    try {
      process.kill(p, 'SIGKILL')
    } catch {
      /* gone */
    }
  for (let i = 0; i < 20 && left.some(alive); i++) await sleep(100)
  return { killed: left.length, left: left.filter(alive) }
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
  fs.mkdirSync(path.join(h.data, 'User'), { recursive: true })
  fs.mkdirSync(path.join(root, 'run'), { mode: 0o700 })
  fs.mkdirSync(h.exts)
  fs.mkdirSync(h.folder)
  fs.writeFileSync(
    path.join(h.data, 'User/settings.json'),
    JSON.stringify({ ...SETTINGS, ...settings }, null, 2),
  )
  fs.writeFileSync(path.join(root, 'config.yaml'), 'auth: none\n')
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
  sh(kit.node, [kit.entry, ...h.args, '--install-extension', vsix, '--force'], { env: h.env })

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

/** The workbench in a page, with the few moves that a test needs. */
export class Workbench {
  constructor(page) {
    this.page = page
    this.quick = page.locator('.quick-input-widget')
  }

  static async open(browser, url, folder, { timeout = 90_000 } = {}) {
    const opened = folder.endsWith('.code-workspace') ? 'workspace' : 'folder'
    const context = await browser.newContext({
      viewport: { width: 1400, height: 900 },
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    const w = new Workbench(page)
    w.console = []
    page.on('console', (m) => {
      if (m.type() === 'error') w.console.push(m.text())
    })
    page.on('pageerror', (e) => w.console.push(String(e)))
    await page.goto(`${url}/?${opened}=${encodeURIComponent(folder)}`, {
      waitUntil: 'domcontentloaded',
      timeout,
    })
    await page.locator('.monaco-workbench .part.statusbar').waitFor({ timeout })
    // the tree has a row only once the server side answers
    await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor({ timeout })
    return w
  }

  /** Opens the quick input with a key, puts text in it, and takes a row. Tries again: a key can come too early, and a list that is drawn anew takes no click. */
  async quickInput(key, text, row) {
    const input = this.quick.locator('.quick-input-box input')
    const found = this.quick.locator('.quick-input-list .monaco-list-row').filter({ hasText: row }).first()
    for (let i = 0; ; i++) {
      try {
        await this.page.keyboard.press(key)
        await input.waitFor({ timeout: 3_000 })
        await input.fill(text)
        await found.click({ timeout: 5_000 })
        await this.quick.waitFor({ state: 'hidden', timeout: 3_000 })
        return
      } catch (e) {
        if (i === 5) throw e
        await this.page.keyboard.press('Escape')
      }
    }
  }

  /** A command by its full title, as in "Sample: Show Panel". */
  command(title) {
    return this.quickInput('F1', `>${title}`, title)
  }

  /** A file of the folder by quick open. */
  async openFile(name) {
    await this.quickInput('Control+p', name, name)
    await this.tab(name).waitFor()
    await this.page.locator('.editor-instance .view-lines .view-line').first().waitFor()
  }

  tab(name) {
    return this.page.locator(`.tabs-container .tab[data-resource-name="${name}"]`)
  }
  /** Closes the tab whose label has a text. */
  async closeTab(text) {
    const tab = this.page.locator('.tabs-container .tab').filter({ hasText: text })
    await tab.click()
    await this.command('View: Close Editor')
    await tab.waitFor({ state: 'detached' })
  }
  codeLens(text) {
    return this.page.locator('.codelens-decoration a').filter({ hasText: text, visible: true })
  }
  /** A toast that has faded in (before that it is in the page, but not to be seen). */
  notification(text) {
    return this.page
      .locator('.notification-toast.notification-fade-in-done .notification-list-item-message')
      .filter({ hasText: text })
  }
  /** Icons of test items in the gutter. */
  testGlyphs() {
    return this.page.locator('.glyph-margin-widgets .testing-run-glyph')
  }
  async problems() {
    await this.command('Problems: Focus on Problems View')
    return this.page.locator('.markers-panel .monaco-list-row')
  }
  /** Inside of the n-th webview: an iframe in an iframe. */
  webview(n = 0) {
    return this.page.frameLocator('iframe.webview.ready').nth(n).frameLocator('iframe#active-frame')
  }
}
