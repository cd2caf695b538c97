import { afterAll, expect, it } from 'vitest'
import { autotest, removeFolders } from './sample.js'
import {
  driftedSnippet,
  gitRepository,
  goodSnippet,
  read,
  smallProject,
  snippetPath,
  write,
} from './small-project.js'

afterAll(removeFolders)

const sql = (market: string, from: string, to: string): string =>
  `SELECT market, sum(amount) AS gmv FROM orders WHERE day BETWEEN '${from}' AND '${to}' AND status = 'paid' AND market = '${market}' GROUP BY market`

/** Two metrics whose snippet lost its filter by a commit with this message, and one case of each. */
function project(message: string) {
  const metric = (name: string, alias: string): string =>
    `metric: ${name}\ntitle: ${name}\naliases: [${alias}]\nsnippet: gmv.sql\nparameters:\n  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand] } }\n  period: { type: date_range }\n`
  const dir = smallProject({
    'kb/metrics/gmv.yaml': metric('gmv', 'GMV'),
    'kb/metrics/turnover.yaml': metric('turnover', 'turnover'),
    'benchmarks/gmv.yaml': `cases:
  - { id: gmv_id, question: ID GMV in November 2025, expected_sql: ${JSON.stringify(sql('ID', '2025-11-01', '2025-11-30'))} }
  - { id: turnover_th, question: TH turnover in December 2025, expected_sql: ${JSON.stringify(sql('TH', '2025-12-01', '2025-12-31'))} }
`,
  })
  const git = gitRepository(dir)
  write(dir, snippetPath, driftedSnippet)
  git('commit', '--quiet', '--all', `--message=${message}`)
  return dir
}

it('cases of two metrics that share a snippet are evidence for each other', async () => {
  const dir = project('Refactor')
  const run = await autotest(dir, ['--no-commit', '-o', 'out.json'])
  expect([run.code, read(dir, snippetPath)]).toEqual([0, goodSnippet])
  expect(JSON.parse(read(dir, 'out.json')).repairs).toMatchObject([
    { subject: 'metrics gmv, turnover', grade: 'E2', cases: ['gmv_id', 'turnover_th'] },
  ])
})

it('one question is asked about the snippet', async () => {
  const dir = project('GMV: cancelled orders count too, status is no longer filtered')
  const run = await autotest(dir, ['--no-commit', '-o', 'out.json'])
  expect([run.code, read(dir, snippetPath)]).toEqual([1, driftedSnippet])
  const { questions, causes } = JSON.parse(read(dir, 'out.json'))
  expect(questions).toMatchObject([{ cases: [{ id: 'gmv_id' }, { id: 'turnover_th' }] }])
  expect(causes).toMatchObject([{ cases: ['gmv_id', 'turnover_th'] }])
})
