import { afterAll, expect, it } from 'vitest'
import { run } from '../src/index.js'
import { removeFolders } from './e2e/sample.js'
import {
  drifted,
  driftedSnippet,
  gitRepository,
  goodSnippet,
  read,
  smallProject,
  snippetPath,
} from './e2e/small-project.js'

afterAll(removeFolders)

it('measures without writing, and gives report and rows as data', async () => {
  const cwd = smallProject(drifted)
  const { exitCode, report, detail } = await run({ cwd, tags: ['gmv'] })
  expect(exitCode).toBe(1)
  expect(report.summary).toMatchObject({ total: 2, failed: 2 })
  expect(detail.run).toMatchObject({ mode: 'evaluate', decision: 'none' })
  expect(read(cwd, snippetPath)).toBe(driftedSnippet)
})

it('repairs, and commits only where it is told to', async () => {
  const cwd = smallProject(drifted)
  const git = gitRepository(cwd)
  const planned = await run({ cwd, mode: 'dry-run' })
  expect(planned.detail.run).toMatchObject({ mode: 'dry_run', decision: 'pending' })
  expect(read(cwd, snippetPath)).toBe(driftedSnippet)

  const committed = await run({ cwd, mode: 'repair', commit: true })
  expect(committed).toMatchObject({ exitCode: 0, detail: { run: { decision: 'committed' } } })
  expect(read(cwd, snippetPath)).toBe(goodSnippet)
  expect(git('status', '--porcelain')).toBe('')
})

it('passes notes on, a line each', async () => {
  const notes: string[] = []
  const cwd = smallProject({ 'autotest.config.yaml': 'as_of: 2025-12-31\n' })
  await run({ cwd, onNote: (text) => notes.push(text) })
  expect(notes).toContainEqual(expect.stringMatching(/^note {2}no engine is configured/))
})
