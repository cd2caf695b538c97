// Lens, panel, tests, gutter, coverage and diagnostics of a Python file.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from './steps.js'

const testFile = 'tests/test_prices.py'

export async function pythonSteps({ steps, w, page, folder }) {
  const at = (path) => join(folder, path)
  const panel = () => w.webview()
  const glyphs = (state) => page.locator(`.testing-run-glyph.codicon-testing-${state}-icon`)

  await steps.step('lenses above each function and method', async () => {
    await w.openFile('prices.py')
    await until(
      'a lens for each of three functions',
      async () => (await w.codeLens('Generate tests').count()) === 3,
    )
    assert.equal(await w.codeLens('Run tests').count(), 3)
    const lens = await w.codeLens('Generate tests').first().boundingBox()
    const def = await page
      .locator('.view-lines .view-line')
      .filter({ hasText: /def.discounted/ })
      .boundingBox()
    assert.ok(lens.y < def.y && def.y - lens.y < 40, `lens at ${lens.y}, def at ${def.y}`)
    await steps.picture(page, 'function-lenses')
  })
  await steps.step('generate: the panel shows the tests, and nothing is written', async () => {
    await w.codeLens('Generate tests').first().click()
    await panel().locator('#state', { hasText: 'Nothing is written yet' }).waitFor({ timeout: 60_000 })
    assert.ok((await panel().locator('section h2 code').count()) > 1)
    assert.equal(existsSync(at(testFile)), false)
    await steps.picture(page, 'generated-tests')
    return `${await panel().locator('section h2 code').count()} tests`
  })
  await steps.step('the page loads nothing from elsewhere, and each control has a name', async () => {
    const policy = await panel().locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content')
    assert.match(policy, /^default-src 'none'/)
    const buttons = await panel().getByRole('button').all()
    for (const button of buttons) assert.ok((await button.textContent()).trim() !== '')
    assert.equal(await panel().getByRole('main').count(), 1)
    assert.equal(await panel().getByRole('status').count(), 1)
  })
  await steps.step('diff against the file', async () => {
    await panel().getByRole('button', { name: 'Show Diff' }).click()
    await page.locator('.tab').filter({ hasText: 'proposed tests' }).waitFor()
    await page.locator('.monaco-diff-editor .line-insert').first().waitFor()
    await steps.picture(page, 'generated-diff')
    await w.closeTab('proposed tests')
  })
  await steps.step('accept with the keyboard: file and registry are written', async () => {
    await panel().getByRole('button', { name: 'Accept' }).focus()
    await page.keyboard.press('Enter')
    await panel().locator('#state', { hasText: 'written to' }).waitFor()
    assert.match(readFileSync(at(testFile), 'utf8'), /def test_discounted/)
    await until('the registry', () => existsSync(at('autotest.registry.json')))
    const { mappings } = JSON.parse(readFileSync(at('autotest.registry.json'), 'utf8'))
    assert.equal(mappings['src/shop/prices.py::discounted'].testFile, testFile)
  })
  await steps.step('run from the lens: it says what became of them', async () => {
    await w.tab('prices.py').click()
    await w
      .codeLens(/^Run \d+ tests?$/)
      .first()
      .click()
    await w
      .codeLens(/^Run \d+ tests? ✓$/)
      .first()
      .waitFor({ timeout: 60_000 })
  })
  await steps.step('tests in the explorer and in the gutter', async () => {
    await w.openFile('test_prices.py')
    await glyphs('passed').first().waitFor()
    await w.command('Testing: Focus on Test Explorer View')
    await page.locator('.test-explorer .monaco-list-row').filter({ hasText: 'test_prices.py' }).waitFor()
    await steps.picture(page, 'test-explorer')
    return `${await glyphs('passed').count()} passed`
  })
  await steps.step('break the code without saving, run: the gutter turns', async () => {
    await w.tab('prices.py').click()
    await w.line(/return.round/)
    await page.keyboard.press('End')
    await page.keyboard.type(' + 1')
    await w.openFile('test_prices.py')
    await page.keyboard.press('Control+Home')
    await w.command('Test: Run Tests in Current File')
    await glyphs('failed').first().waitFor({ timeout: 60_000 })
    assert.doesNotMatch(readFileSync(at('src/shop/prices.py'), 'utf8'), /\+ 1/)
    await steps.picture(page, 'broken')
    return `${await glyphs('failed').count()} failed`
  })
  await steps.step('mend it: the gutter turns back', async () => {
    await w.tab('prices.py').click()
    for (const _ of ' + 1') await page.keyboard.press('Backspace')
    await page.keyboard.press('Control+s')
    await until('the file as it was', () => !readFileSync(at('src/shop/prices.py'), 'utf8').includes('+ 1'))
    await w.openFile('test_prices.py')
    await w.command('Test: Run Tests in Current File')
    await until(
      'no failure',
      async () => (await glyphs('failed').count()) === 0 && (await glyphs('passed').count()) > 0,
    )
  })
  await steps.step('coverage in the gutter', async () => {
    await w.command('Test: Run All Tests with Coverage')
    await page
      .locator('.test-coverage-list-item')
      .filter({ hasText: 'prices.py' })
      .first()
      .waitFor({ timeout: 60_000 })
    await w.tab('prices.py').click()
    await page.keyboard.press('Control+Home')
    const gutter = (kind) => page.locator(`.coverage-deco-gutter.coverage-deco-${kind}`)
    await until(
      'hit and missed lines',
      async () => (await gutter('hit').count()) > 0 && (await gutter('miss').count()) > 0,
    )
    await steps.picture(page, 'coverage')
    return `${await gutter('hit').count()} hit, ${await gutter('miss').count()} missed`
  })
}
