// The same SQL cases through autotest and through promptfoo, in turn on one machine: `node bench/promptfoo.js FOLDER [CASES]`, where
// FOLDER has promptfoo and better-sqlite3 installed (`npm install promptfoo@0.121.20 better-sqlite3`). Prints medians; nothing passes or fails.
import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { cli, measureProgram } from './measure.js'
import { sqliteProject } from './project.js'

const [folder, count = '200'] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: node bench/promptfoo.js FOLDER [CASES]')
const cases = Number(count)
const repeats = 5

const dir = sqliteProject({ cases })
const own = [cli, '--no-repair']
const other = [
  join(resolve(folder), 'node_modules/promptfoo/dist/src/entrypoint.js'),
  ...[
    'eval',
    '-c',
    'promptfoo.json',
    '--no-cache',
    '--no-progress-bar',
    '--no-table',
    '-j',
    '4',
    '-o',
    'out.json',
  ],
]
writePromptfooConfig()

const rows = { 'second night': [], 'first run': [], promptfoo: [], 'node -e 0': [] }
try {
  await measureProgram(own, dir)
  for (let turn = -1; turn < repeats; turn++) {
    // The first turn warms the disk's cache and does not count.
    const keep = (name, run) => turn >= 0 && rows[name].push(run)
    keep('second night', await measureProgram(own, dir))
    rmSync(join(dir, '.autotest'), { recursive: true })
    keep('first run', await measureProgram(own, dir))
    keep('promptfoo', await measureProgram(other, dir, promptfooEnvironment()))
    keep('node -e 0', await measureProgram(['-e', '0'], dir))
  }
} finally {
  rmSync(dir, { recursive: true, force: true })
}

console.log(`Node ${process.version}, ${cases} cases, medians of ${repeats} runs in turn`)
const middle = (numbers) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)]
const [theirs, theirMemory] = [(run) => run.seconds, (run) => run.peak].map((of) =>
  middle(rows.promptfoo.map(of)),
)
for (const [name, runs] of Object.entries(rows)) {
  const seconds = middle(runs.map((run) => run.seconds))
  const peak = middle(runs.map((run) => run.peak))
  const codes = [...new Set(runs.map((run) => run.code))].join(', ')
  console.log(
    `${name.padEnd(13)} ${seconds.toFixed(3)} s  ${(theirs / seconds).toFixed(2)} × as fast as promptfoo  ` +
      `${Math.round(peak)} MB, ${(peak / theirMemory).toFixed(2)} of its memory  exit ${codes}`,
  )
}

function writePromptfooConfig() {
  const database = pathToFileURL(join(resolve(folder), 'node_modules/better-sqlite3/lib/index.js')).href
  writeFileSync(
    join(dir, 'provider.mjs'),
    `import answer from './agents/surface.mjs'
export default class {
  id() { return 'surface' }
  async callApi(question) { return { output: (await answer({ question })).sql } }
}
`,
  )
  writeFileSync(
    join(dir, 'assert.mjs'),
    `import Database from ${JSON.stringify(database)}
const database = new Database(${JSON.stringify(join(dir, 'shop.sqlite'))}, { readonly: true })
const rows = (sql) => JSON.stringify(database.prepare(sql).raw().all())
export default (output, { vars }) => rows(output) === rows(vars.expected)
`,
  )
  const markets = ['ID', 'TH', 'PH', 'SG', 'MY', 'VN']
  const tests = Array.from({ length: cases }, (_, i) => ({
    vars: {
      question: `Revenue a day of market ${markets[i % 6]} above ${i % 90}, number ${i}`,
      expected: `SELECT day, sum(amount) AS total FROM orders WHERE status != 'cancelled' AND market = '${markets[i % 6]}' AND amount BETWEEN ${i % 90} AND 900 GROUP BY day ORDER BY day LIMIT 20`,
    },
    assert: [{ type: 'javascript', value: 'file://assert.mjs' }],
  }))
  writeFileSync(
    join(dir, 'promptfoo.json'),
    JSON.stringify({ prompts: ['{{question}}'], providers: ['file://provider.mjs'], tests }),
  )
}

function promptfooEnvironment() {
  return {
    PROMPTFOO_DISABLE_TELEMETRY: '1',
    PROMPTFOO_DISABLE_UPDATE: '1',
    PROMPTFOO_CONFIG_DIR: join(dir, '.promptfoo'),
  }
}
