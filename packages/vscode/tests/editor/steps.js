// Steps of a test in the editor: each is timed and told; the first that fails ends its part, with a picture of what was on the screen.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Tries until something holds. */
export async function until(what, check, ms = 30_000) {
  const end = Date.now() + ms
  for (;;) {
    const value = await check()
    if (value) return value
    if (Date.now() > end) throw new Error(`not within ${ms} ms: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

export class Steps {
  passed = 0
  failed = 0
  #folder
  #pages

  /**
   * @param folder for pictures
   * @param pages returns the pages that are open
   */
  constructor(folder, pages) {
    this.#folder = folder
    this.#pages = pages
    mkdirSync(folder, { recursive: true })
  }

  async step(name, work) {
    const started = performance.now()
    const seconds = () => ((performance.now() - started) / 1000).toFixed(2).padStart(6)
    try {
      const note = await work()
      this.passed += 1
      console.log(`ok   ${seconds()} s  ${name}${note === undefined ? '' : ` (${note})`}`)
    } catch (error) {
      this.failed += 1
      console.log(`FAIL ${seconds()} s  ${name}`)
      console.log(
        String(error?.stack ?? error)
          .split('\n')
          .slice(0, 12)
          .map((line) => `        ${line}`)
          .join('\n'),
      )
      for (const [at, page] of this.#pages().entries())
        await page.screenshot({ path: join(this.#folder, `failed-${at}.png`) }).catch(() => undefined)
      throw error
    }
  }

  /** Takes a picture for the documentation. */
  async picture(page, name) {
    // What moves is to come to rest.
    await page.waitForTimeout(300)
    await page.screenshot({ path: join(this.#folder, `${name}.png`) })
  }
}
