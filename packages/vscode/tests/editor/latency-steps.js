// How long after a keystroke the lens of a new function is there, in turn with a bare extension that only answers.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from './steps.js'

const rounds = 12
const mostRatio = 1.5

export async function latencySteps({ steps, w, page, folder }) {
  const settings = join(folder, '.vscode/settings.json')
  mkdirSync(join(folder, '.vscode'))
  const use = (isBare) =>
    writeFileSync(
      settings,
      JSON.stringify({ 'autotest.codeLens.functions': !isBare, 'bare.enabled': isBare }),
    )
  const lens = (isBare, name) =>
    `.codelens-decoration a[title${isBare ? `="for ${name},"` : `^="Write tests for ${name},"`}]`

  await steps.step(
    `a lens after a keystroke: at most ${mostRatio} times that of a bare extension`,
    async () => {
      await w.openFile('prices.py')
      await w.codeLens('Generate tests').first().waitFor()
      await page.keyboard.press('Control+End')
      const times = { bare: [], own: [] }
      for (let round = 0; round < rounds; round++) {
        const isBare = round % 2 === 1
        let tries = 0
        const last = round === 0 ? 'discounted' : `added_${round - 1}`
        await until('the lenses of this round', async () => {
          // The editor misses a change of its settings now and then.
          if (tries++ % 30 === 0) use(isBare)
          // Those that are scrolled out of sight stay as they were.
          const [wanted, other] = [lens(isBare, last), lens(!isBare, last)].map((each) => page.locator(each))
          return (await wanted.count()) > 0 && (await other.count()) === 0
        })
        // What the editor does by itself after a change of settings is to be over.
        await page.waitForTimeout(1000)
        const name = `added_${round}`
        const seen = page.evaluate(
          (selector) =>
            new Promise((resolve) => {
              const started = performance.now()
              const look = () => {
                if (document.querySelector(selector) === null) requestAnimationFrame(look)
                else resolve(performance.now() - started)
              }
              look()
            }),
          lens(isBare, name),
        )
        await page.keyboard.insertText(`def ${name}(): pass\n`)
        const ms = await seen
        // The first of each warms up.
        if (round > 1) times[isBare ? 'bare' : 'own'].push(ms)
      }
      const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)]
      const ratio = median(times.own) / median(times.bare)
      const note = `${median(times.own).toFixed(0)} ms beside ${median(times.bare).toFixed(0)} ms: ${ratio.toFixed(2)}`
      if (ratio > mostRatio) throw new Error(note)
      return note
    },
  )
}
