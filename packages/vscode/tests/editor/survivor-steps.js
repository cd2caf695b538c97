// Changes that tests miss as problems, and the quick fix; in a dark theme.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from './steps.js'

const weakTests = `from shop.prices import discounted


def test_discounted_without_discount():
    assert discounted(10.0, 0) == 10.0
`

export async function survivorSteps({ steps, w, page, folder }) {
  const testFile = join(folder, 'tests/test_prices.py')
  mkdirSync(join(folder, 'tests'), { recursive: true })
  writeFileSync(testFile, weakTests)
  writeFileSync(
    join(folder, 'autotest.registry.json'),
    `${JSON.stringify({
      version: 1,
      mappings: {
        'src/shop/prices.py::discounted': {
          testFile: 'tests/test_prices.py',
          testNames: ['test_discounted_without_discount'],
        },
      },
    })}\n`,
  )
  await steps.step('changes that tests miss are problems', async () => {
    await w.openFile('prices.py')
    await w.codeLens('Run 1 test').first().waitFor()
    await w.line(/return.round/)
    await w.command('autotest: Find Changes That Tests Miss')
    await page.locator('.squiggly-info').first().waitFor({ timeout: 60_000 })
    const rows = await w.problems()
    await rows.filter({ hasText: 'No test notices this change' }).first().waitFor()
    await steps.picture(page, 'survivors')
  })
  await steps.step('an edit above moves them with their lines', async () => {
    const line = async () =>
      (await page.locator('.markers-panel .monaco-list-row .marker-line').first().textContent()) ?? ''
    const before = await line()
    await w.tab('prices.py').click()
    await page.keyboard.press('Control+Home')
    await page.keyboard.press('Enter')
    await until('another line', async () => (await line()) !== before)
  })
  await steps.step('quick fix: a test for one of them', async () => {
    await w.line(/return.round/)
    await page.keyboard.press('Control+.')
    await page
      .locator('.action-widget .monaco-list-row')
      .filter({ hasText: 'Write a test for it' })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await w.webview().locator('#state', { hasText: 'Nothing is written yet' }).waitFor({ timeout: 60_000 })
    assert.ok((await w.webview().locator('section h2 code').count()) >= 1)
    await steps.picture(page, 'dark')
    await w.webview().getByRole('button', { name: 'Accept' }).click()
    await until('a second test', () => (readFileSync(testFile, 'utf8').match(/def test_/g) ?? []).length > 1)
    assert.ok(readFileSync(testFile, 'utf8').includes(weakTests.slice(weakTests.indexOf('def '))))
  })
  await steps.step('an edit within the function takes them away', async () => {
    const others = page.locator('.markers-panel .monaco-list-row').filter({ hasText: 'No test notices' })
    await w.tab('prices.py').click()
    await w.line(/return.round/)
    await page.keyboard.press('End')
    await page.keyboard.type('  # to the cent')
    await until('no problem', async () => (await others.count()) === 0)
  })
  await steps.step('reject: nothing is written', async () => {
    const before = readFileSync(testFile, 'utf8')
    await w.tab('prices.py').click()
    await w.codeLens('Generate tests').nth(2).click()
    await w.webview().locator('h1', { hasText: 'Cart.add' }).waitFor({ timeout: 60_000 })
    await w.webview().getByRole('button', { name: 'Reject' }).click()
    await w.webview().locator('#state', { hasText: 'nothing was written' }).waitFor()
    assert.equal(readFileSync(testFile, 'utf8'), before)
  })
  await steps.step('a test file that has changed meanwhile is not overwritten', async () => {
    await w.webview().getByRole('button', { name: 'Regenerate' }).click()
    await w.webview().locator('#state', { hasText: 'Nothing is written yet' }).waitFor({ timeout: 60_000 })
    const changed = `${readFileSync(testFile, 'utf8')}\n# mine\n`
    writeFileSync(testFile, changed)
    await page.waitForTimeout(2000)
    await w.webview().getByRole('button', { name: 'Accept' }).click()
    await w.notification('has changed since').waitFor()
    assert.equal(readFileSync(testFile, 'utf8'), changed)
  })
}
