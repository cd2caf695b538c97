// Prints seconds and peak memory of comparing two large results; docs/benchmarks-results.md keeps them with command and date.
// Usage: node bench/results.js [rows]
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { compareStreams } from '../build/modules/compare/results/compare-results.js'

const scenarios = {
  same: 'same order',
  shuffled: 'shuffled',
  noise: 'shuffled, 1e-5 noise on the floats',
  mismatch: 'shuffled, one float 1% off',
  texts: 'shuffled, two columns of distinct texts',
}
const names = ['id', 'name', 'market', 'day', 'gmv', 'rate', 'share', 'orders']
const markets = ['ID', 'TH', 'SG', 'VN', 'PH', 'MY']

const [rows = '1000000', scenario] = process.argv.slice(2)
if (scenario === undefined) {
  for (const name of Object.keys(scenarios)) {
    // Each in a process of its own: peak memory is that of the whole process.
    const { stdout, status, stderr } = spawnSync(
      process.execPath,
      [fileURLToPath(import.meta.url), rows, name],
      {
        encoding: 'utf8',
      },
    )
    process.stdout.write(status === 0 ? stdout : `${name}: exit ${status}\n${stderr}`)
  }
} else {
  await measure(Number(rows), scenario)
}

async function measure(count, scenario) {
  const order = scenario === 'same' ? inOrder(count) : shuffled(count)
  const noise = scenario === 'noise' ? 1e-5 : 0
  const distinct = scenario === 'texts'
  const columns = names.map((name) => ({ name, type: '' }))
  const started = performance.now()
  const found = await compareStreams(
    { columns, rows: stream(inOrder(count), { noise: 0, distinct }) },
    { columns, rows: stream(order, { noise, distinct, off: scenario === 'mismatch' ? count >> 1 : -1 }) },
    { order: 'unordered', tolerance: 1e-4, columns: 'auto' },
  )
  const seconds = ((performance.now() - started) / 1000).toFixed(2)
  const peak = Math.round(process.resourceUsage().maxRSS / 1024)
  const verdict = found.match ? 'match' : `${found.differing} differ`
  console.log(
    `${count.toLocaleString('en')} × ${names.length}, ${scenarios[scenario]}: ${seconds} s, peak ${peak} MB, ${verdict}`,
  )
}

/** Rows made on the fly, in the given order: one exact key, texts, days, floats, small integers. */
function* stream(order, { noise, distinct, off = -1 }) {
  for (const id of order) {
    const random = (id * 0.618_033_988_75) % 1
    const shift = 1 + noise * (((id * 7) % 11) / 5.5 - 1)
    yield [
      id,
      distinct ? `customer ${id * 7919}` : `seller ${id % 5000}`,
      distinct ? `order-${id}-of-${id % 97}` : markets[id % markets.length],
      { kind: 'date', text: `2025-${String(1 + (id % 12)).padStart(2, '0')}-15` },
      (random * 10_000 + 0.1) * shift * (id === off ? 1.01 : 1),
      (random * 0.001 + 0.000_1) * shift,
      (1 - random) * shift,
      id % 97,
    ]
  }
}

function inOrder(count) {
  return Uint32Array.from({ length: count }, (_, index) => index)
}

/** Fisher and Yates, from a fixed seed. */
function shuffled(count) {
  const order = inOrder(count)
  let state = 7
  for (let last = count - 1; last > 0; last--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const at = Math.floor((state / 2 ** 32) * (last + 1))
    ;[order[last], order[at]] = [order[at], order[last]]
  }
  return order
}
