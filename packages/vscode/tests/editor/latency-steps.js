// How long after a keystroke the lens of a new function is there, in turn with a bare extension that only answers.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from './steps.js'

const rounds = 12
const mostRatio = 1.5

export async function latencySteps({ steps, w, page, place }) {
  const settings = join(place.data, 'User/settings.json')
  const initial = JSON.parse(readFileSync(settings, 'utf8'))
  const use = (isBare) =>
    writeFileSync(
      settings,
      JSON.stringify({ ...initial, 'autotest.codeLens.functions': !isBare, 'bare.enabled': isBare }),
    )
  const lens = (isBare, name) =>
    `.codelens-decoration a[title*="${isBare ? `for ${name},` : `Write tests for ${name},`}"]`

  await steps.step(
    `a lens after a keystroke: at most ${mostRatio} times that of a bare extension`,
    async () => {
      await w.openFile('prices.py')
      await w.codeLens('Generate tests').first().waitFor()
      await page.keyboard.press('Control+End')
      const times = { bare: [], own: [] }
      for (let round = 0; round < rounds; round++) {
        const isBare = round % 2 === 1
        use(isBare)
        await until('the lenses of this round', async () => {
          const [bare, own] = [await w.codeLens('Bare').count(), await w.codeLens('Generate tests').count()]
          return isBare ? bare > 0 && own === 0 : own > 0 && bare === 0
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
