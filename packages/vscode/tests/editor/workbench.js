// The moves of a user in the workbench.
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
  /** Clicks a line of the editor by what is in it. */
  line(text) {
    return this.page.locator('.editor-instance .view-line').filter({ hasText: text }).click()
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
