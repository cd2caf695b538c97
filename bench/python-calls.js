// Preloaded into a run (`node --import ./bench/python-calls.js …`): writes how long calls of the project's Python took, by method, to the file
// that AUTOTEST_PYTHON_CALLS names.
import { subscribe } from 'node:diagnostics_channel'
import { writeFileSync } from 'node:fs'

const started = performance.now()
const sums = {}
subscribe('autotest:python-call', ({ method, ms }) => {
  sums[method] = (sums[method] ?? 0) + ms
})
process.on('exit', () => {
  writeFileSync(
    process.env.AUTOTEST_PYTHON_CALLS,
    JSON.stringify({ total: performance.now() - started, sums }),
  )
})
