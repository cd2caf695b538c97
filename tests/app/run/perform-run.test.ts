import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { type PerformedRun, performRun } from '../../../src/app/run/perform-run.js'
import type { RunEvent } from '../../../src/app/run/run-events.js'
import type { RunRequest } from '../../../src/app/run/run-request.js'
import type { Answer, Decide, Question } from '../../../src/app/run/user-decision.js'
import { removeFolders } from '../../e2e/sample.js'
import {
  drifted,
  driftedSnippet,
  gitRepository,
  goodSnippet,
  read,
  smallProject,
  snippetPath,
} from '../../e2e/small-project.js'

afterAll(removeFolders)

interface Told extends PerformedRun {
  readonly events: readonly RunEvent[]
}

/** A run without any terminal: what it tells is collected. */
async function perform(cwd: string, request: Partial<RunRequest> = {}, decide?: Decide): Promise<Told> {
  const events: RunEvent[] = []
  const performed = await performRun(
    { cwd, commit: 'ask', ...request },
    {
      listener: (event) => events.push(event),
      decide,
      env: {},
      signal: new AbortController().signal,
      now: () => new Date(),
    },
  )
  return { ...performed, events }
}

/** Gives the answers one after the other, then none, and keeps the questions. */
function answering(...answers: readonly Answer[]): {
  readonly decide: Decide
  readonly questions: Question[]
} {
  const questions: Question[] = []
  const left = [...answers]
  return {
    questions,
    decide: async (question) => {
      questions.push(question)
      return left.shift()
    },
  }
}

function kindsOf({ events }: Told): string[] {
  return [...new Set(events.map(({ kind }) => kind))]
}

it('commits what the decision says, and tells it in typed events', async () => {
  const dir = smallProject(drifted)
  const git = gitRepository(dir)
  const { decide, questions } = answering('commit')
  const told = await perform(dir, {}, decide)

  expect(questions).toMatchObject([
    {
      kind: 'repairs',
      runId: told.detail.run.id,
      scope: 'all',
      repairs: [{ outcome: 'accepted', edits: [{ file: snippetPath }] }],
      commitObstacle: undefined,
      options: ['commit', 'keep', 'revert'],
    },
  ])
  expect(kindsOf(told)).toEqual([
    'run_started',
    'case_finished',
    'repair_started',
    'verifying',
    'attempt_finished',
    'results_ready',
    'repair_committed',
    'run_finished',
    'reports_written',
  ])
  expect(told).toMatchObject({ exitCode: 0, interrupted: false, detail: { run: { decision: 'committed' } } })
  expect(git('rev-list', '--count', 'HEAD').trim()).toBe('2')
  expect(git('status', '--porcelain')).toBe('')
  expect(read(dir, snippetPath)).toBe(goodSnippet)
})

it('leaves the repairs pending where nobody answers', async () => {
  const dir = smallProject(drifted)
  gitRepository(dir)
  const { decide } = answering()
  const told = await perform(dir, {}, decide)
  expect(told).toMatchObject({ exitCode: 1, detail: { run: { decision: 'pending' } } })
  expect(told.events).toContainEqual(
    expect.objectContaining({ kind: 'repairs_uncommitted', paths: [snippetPath], preview: undefined }),
  )
  expect(read(dir, snippetPath)).toBe(goodSnippet)
})

it('tells what a commit would have taken where nobody can be asked', async () => {
  const dir = smallProject(drifted)
  gitRepository(dir)
  const told = await perform(dir)
  expect(told).toMatchObject({ exitCode: 1, detail: { run: { decision: 'pending' } } })
  expect(told.events).toContainEqual({
    kind: 'repairs_uncommitted',
    runId: told.detail.run.id,
    repairs: 1,
    paths: [snippetPath],
    repairId: undefined,
    preview: { committable: 1, reason: undefined },
  })
})

it('reverts, and offers no commit without a repository', async () => {
  const dir = smallProject(drifted)
  const { decide, questions } = answering('revert')
  const told = await perform(dir, {}, decide)
  expect(questions).toMatchObject([
    { commitObstacle: expect.stringContaining('not in a git repository'), options: ['keep', 'revert'] },
  ])
  expect(told).toMatchObject({ exitCode: 1, detail: { run: { decision: 'reverted' } } })
  expect(kindsOf(told)).toContain('repair_reverted')
  expect(read(dir, snippetPath)).toBe(driftedSnippet)
})

it('treats an answer that was not offered as none', async () => {
  const dir = smallProject(drifted)
  const { decide } = answering('commit')
  const { detail } = await perform(dir, {}, decide)
  expect(detail.run.decision).toBe('pending')
  expect(read(dir, snippetPath)).toBe(goodSnippet)
})

it.each([
  ['always', 'committed', 0],
  ['never', 'kept', 0],
] as const)('asks nobody where commit is %s', async (commit, decision, exitCode) => {
  const dir = smallProject(drifted)
  gitRepository(dir)
  const { decide, questions } = answering('revert')
  const told = await perform(dir, { commit }, decide)
  expect(questions).toEqual([])
  expect(told).toMatchObject({ exitCode, detail: { run: { decision } } })
})

it('writes the reports that the request names, and tells where they are', async () => {
  const dir = smallProject()
  const told = await perform(dir, { mode: 'evaluate', reports: ['out/run.xml'] })
  const file = join(dir, 'out/run.xml')
  expect(told.reports).toContain(file)
  expect(told.events.at(-1)).toEqual({ kind: 'reports_written', files: told.reports })
  expect(told.reports.filter((report) => !existsSync(report))).toEqual([])
})

it('refuses a request that contradicts itself', async () => {
  const dir = smallProject()
  await expect(perform(dir, { repeat: 0 })).rejects.toThrow(/whole number from 1 to 100/)
  await expect(perform(dir, { record: 'a', replay: 'b' })).rejects.toThrow(/cannot be combined/)
  await expect(perform(dir, { lastFailed: true, ids: ['gmv_id'] })).rejects.toThrow(/cannot be combined/)
})
