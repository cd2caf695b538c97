// Prints figures of agents that are models; nothing here passes or fails. docs/benchmarks.md keeps them.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { measure, median } from './measure.js'
import { modelProject } from './model-project.js'
import { startModel } from './model-server.js'

const repeats = 3
process.env.OPENAI_API_KEY ??= 'none-is-needed'

{
  const [cases, concurrency, latencyMs] = [200, 20, 100]
  const model = await startModel({ latencyMs })
  const dir = modelProject({ baseUrl: model.baseUrl, cases, concurrency })
  const run = await median(repeats, ['--no-repair'], dir)
  const ideal = ((cases / concurrency) * latencyMs) / 1000
  const more = (seconds) => `${seconds.toFixed(2)} s, ${Math.round(100 * (seconds / ideal - 1))}% more`
  const own = await measure(['--no-repair', '-o', 'out.json'], dir)
  console.log(
    `200 cases of 100 ms at concurrency 20 (ideal ${ideal.toFixed(1)} s, want ≤ 30% more)   the run by its report ${more(ms(report(dir)) / 1000)}; with the start of the program ${more(run.seconds)}, exit ${run.code} ${own.code}`,
  )
  await model.close()
  rmSync(dir, { recursive: true, force: true })
}

{
  const model = await startModel()
  const dir = modelProject({ baseUrl: model.baseUrl, cases: 50, drifted: 3 })
  const args = ['--dry-run', '-o', 'out.json']
  const recorded = await measure([...args, '--record', 'taped'], dir)
  const before = report(dir)
  const calls = model.asked()
  await model.close()
  const replayed = await median(repeats, [...args, '--replay', 'taped'], dir)
  const same = JSON.stringify(withoutTimes(before)) === JSON.stringify(withoutTimes(report(dir)))
  const { pending } = before.summary
  console.log(
    `replay of a repair run of 50 cases, ${calls} calls, ${pending} cases repaired (want ≤ 3 s, identical)   ${replayed.seconds.toFixed(2)} s (recorded in ${recorded.seconds.toFixed(2)} s), ${same ? 'identical' : 'NOT IDENTICAL'}, exit ${replayed.code}`,
  )
  if (process.env.KEEP === undefined) rmSync(dir, { recursive: true, force: true })
  else console.log(dir)
}

/** From the beginning of the run to its end, without what loads the program. */
function ms({ run: { startedAt, finishedAt } }) {
  return Date.parse(finishedAt) - Date.parse(startedAt)
}

function report(dir) {
  return JSON.parse(readFileSync(join(dir, 'out.json'), 'utf8'))
}

function withoutTimes(value) {
  if (Array.isArray(value)) return value.map(withoutTimes)
  if (typeof value !== 'object' || value === null) return value
  const times = new Set(['ms', 'startedAt', 'finishedAt', 'id', 'root'])
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]) => (times.has(name) ? [] : [[name, withoutTimes(part)]])),
  )
}
