// A test under a real debugger: debugpy, started as the Python extension starts it.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const tests = `from shop.prices import discounted


def test_half():
    assert discounted(10.0, 50) == 5.0


def test_wrong():
    assert discounted(10.0, 0) == 9.0
`

export function writeTests(folder) {
  mkdirSync(join(folder, 'tests'), { recursive: true })
  writeFileSync(join(folder, 'tests/test_prices.py'), tests)
}

export async function debugSteps({ steps, w, page }) {
  const stopped = page.locator('.debug-top-stack-frame-line')
  await steps.step('debug: stops at a breakpoint of the function', async () => {
    await w.openFile('prices.py')
    await w.codeLens('Generate tests').first().waitFor()
    await w.line(/return.round/)
    await page.keyboard.press('F9')
    await w.openFile('test_prices.py')
    await page.locator('.testing-run-glyph').first().waitFor()
    await w.command('Test: Debug Tests in Current File')
    await stopped.first().waitFor({ timeout: 60_000 })
    await steps.picture(page, 'debug')
  })
  await steps.step('debug: goes on to its end, and tells what became of each test', async () => {
    await page.keyboard.press('F5')
    await page.waitForTimeout(1500)
    await page.keyboard.press('F5')
    await w.tab('test_prices.py').click()
    await page.locator('.testing-run-glyph.codicon-testing-passed-icon').waitFor({ timeout: 60_000 })
    assert.equal(await page.locator('.testing-run-glyph.codicon-testing-failed-icon').count(), 1)
  })
}
