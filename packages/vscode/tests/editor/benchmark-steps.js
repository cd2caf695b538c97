// Verdicts above the cases of a benchmark file, and a repair plan as a difference to accept.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from './steps.js'

const caseId = 'orders_sg_august'
const snippet = 'kb/snippets/orders.sql'

export async function benchmarkSteps({ steps, w, page, folder }) {
  const text = () => readFileSync(join(folder, snippet), 'utf8')
  await steps.step('lenses above each case', async () => {
    await w.openFile('orders.yaml')
    await page.keyboard.press('Control+f')
    await page.keyboard.type(`id: ${caseId}`)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await w.codeLens(/^Run$/).first().waitFor({ timeout: 60_000 })
  })
  await steps.step('run a case: its verdict is above it', async () => {
    await w.command('autotest: Run Benchmark Case')
    await w
      .codeLens(/✗ failed/)
      .first()
      .waitFor({ timeout: 120_000 })
    await steps.picture(page, 'case-failed')
  })
  await steps.step('why: the case in earlier runs', async () => {
    await w.command('autotest: Why Benchmark Case')
    await page
      .locator('.view-line')
      .filter({ hasText: /orders_v1/ })
      .first()
      .waitFor()
    await steps.picture(page, 'why')
    await w.closeTab(`${caseId}.txt`)
  })
  await steps.step('plan a repair: a difference, and nothing is written', async () => {
    await w.tab('orders.yaml').click()
    await w.command('autotest: Plan a Repair of Benchmark Case')
    await page.locator('.monaco-diff-editor .line-insert').first().waitFor({ timeout: 120_000 })
    await w.notification('Nothing is written yet').waitFor()
    assert.match(text(), /orders_v1/)
    await steps.picture(page, 'repair-plan')
  })
  await steps.step('accept it: the knowledge is repaired, and the case passes', async () => {
    await page.locator('.notification-toast').getByRole('button', { name: 'Accept' }).click()
    await until('the repaired file', () => !text().includes('orders_v1'))
    await w.tab('orders.yaml').click()
    await w
      .codeLens(/✓ passed/)
      .first()
      .waitFor({ timeout: 120_000 })
    await steps.picture(page, 'case-passed')
  })
}
