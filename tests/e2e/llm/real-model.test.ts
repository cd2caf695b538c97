import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { needing } from '../../needs.js'
import { autotest, removeFolders, start } from '../sample.js'
import { drifted, userFiles } from '../small-project.js'
import { llmProject } from './project.js'

afterAll(removeFolders)

/**
 * Base addresses of a real llama.cpp server with a small model, started by `.ci/run` (`scripts/model`): without and with
 * its chat template. Such a model answers nonsense: only forms, counts and ends are tested.
 */
const urls = (process.env['AUTOTEST_MODEL_URLS'] ?? '').split(' ').filter((url) => url !== '')
const needsModel = needing('a real model', urls.length === 0 ? 'AUTOTEST_MODEL_URLS is not set' : undefined)

const minute = 60_000
const recordedFile = z.object({
  caseId: z.string(),
  sample: z.number(),
  request: z.object({ messages: z.array(z.object({ role: z.string(), content: z.string() })) }),
  tries: z.array(
    z.looseObject({
      kind: z.string(),
      text: z.string().optional(),
      receivedTokens: z.number().optional(),
    }),
  ),
})

function recorded(folder: string): z.output<typeof recordedFile>[] {
  return readdirSync(folder).map((name) =>
    recordedFile.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))),
  )
}

/** Tokens that a server has counted: of prompts, cached ones excepted, and of answers. */
async function answerTokens(url: string): Promise<number> {
  const text = await (await fetch(new URL('/metrics', url))).text()
  return Number(/^llamacpp:tokens_predicted_total (\d+)/m.exec(text)?.[1])
}

const project = (url: string, files = {}, config = ''): string => {
  const dir = llmProject(url, files, config)
  return dir
}
const open = { TEST_MODEL_KEY: 'none' }

describe.each(urls.length === 0 ? ['…'] : urls)('a real model at %s', needsModel, (url) => {
  it(
    'answers in the form of its definition, is charged what the server counts, and replays to the same',
    async () => {
      const dir = project(url, {}, 'limits: { concurrency: 1 }\n')
      const before = await answerTokens(url)
      const flags = ['--no-repair', '--repeat', '4']
      const run = await autotest(dir, [...flags, '--record', 'tape', '-o', 'out.json'], open)
      expect(run.code).toBeLessThan(4)
      const all = recorded(join(dir, 'tape'))
      const readable = new Set(
        all
          .filter(({ tries }) => tries.some(({ kind, text = '' }) => kind === 'reply' && isAnswer(text)))
          .map(({ caseId, sample }) => `${caseId} ${sample}`),
      )
      // Chance decides whether it loops twice; docs/models.md has the figure of a longer run.
      expect(readable.size).toBeGreaterThanOrEqual(9)
      const report = JSON.parse(readFileSync(join(dir, 'out.json'), 'utf8'))
      // One question, one more turn for its form, and one more of each for the database's error.
      expect(report.llm[0].calls).toBeLessThanOrEqual(12 * 4)
      const counted = (await answerTokens(url)) - before
      // A stream that is stopped goes on for a moment, which nobody is told of; now and then the server counts a handful more than
      // it tells in its answers.
      const stopped = all.filter(({ tries }) => JSON.stringify(tries).includes('was stopped')).length
      // Nor does the server always count an answer that was not waited for; what arrived of it is charged.
      const unfinished = all
        .flatMap(({ tries }) => tries)
        .reduce((sum, { receivedTokens = 0 }) => sum + receivedTokens, 0)
      expect(report.llm[0].outputTokens).toBeLessThanOrEqual(counted + unfinished)
      expect(counted - report.llm[0].outputTokens).toBeLessThanOrEqual(30 * stopped + 8)
      const again = await autotest(dir, [...flags, '--replay', 'tape', '-o', 'again.json'], open)
      expect(again.code).toBe(run.code)
      const replayed = JSON.parse(readFileSync(join(dir, 'again.json'), 'utf8'))
      expect(replayed.llm).toEqual(report.llm)
    },
    6 * minute,
  )

  it(
    'that may write little is cut, and both failures are named with their setting',
    async () => {
      const dir = project(url)
      const file = join(dir, 'autotest.config.yaml')
      const config = readFileSync(file, 'utf8').replace('model: tiny', 'model: tiny, max_tokens: 5')
      const { writeFileSync } = await import('node:fs')
      writeFileSync(file, config)
      const run = await autotest(dir, ['--no-repair', '--id', 'gmv_id'], open)
      expect(run.code).toBe(1)
      expect(run.out).toMatch(
        /FAIL gmv_id: .*the answer was cut at its limit of 5 tokens .*`llm\.roles\.sql\.max_tokens`/,
      )
    },
    2 * minute,
  )

  it(
    'that repairs is never believed: no file changes, and no budget is exceeded',
    async () => {
      const dir = project(url, drifted)
      const before = userFiles(dir)
      const flags = ['--agent', 'template', '--repairer', 'llm', '--max-retries', '2', '--max-llm-calls', '6']
      const run = await autotest(dir, [...flags, '--no-commit'], open)
      expect(run.out).not.toContain('REPAIRED')
      expect(run.out).toMatch(/llm_calls=[1-6] /)
      expect(userFiles(dir)).toEqual(before)
    },
    4 * minute,
  )

  it(
    'that is waited for is left at once on Ctrl-C, and the run can go on',
    async () => {
      const dir = project(url)
      const running = start(dir, ['--no-repair'], open)
      while (!existsSync(join(dir, 'reports/autotest.db')))
        await new Promise((resolve) => setTimeout(resolve, 50))
      await new Promise((resolve) => setTimeout(resolve, 500))
      const asked = performance.now()
      running.kill('SIGINT')
      const ended = await running.ended
      expect(performance.now() - asked).toBeLessThan(5000)
      expect([130, 1, 3]).toContain(ended.code)
    },
    2 * minute,
  )

  it(
    'is not asked with a prompt that is known to be too long',
    async () => {
      const note = `# GMV\n\n${'GMV is the amount of paid orders by market and day. '.repeat(1200)}\n`
      const dir = project(url, { 'kb/notes/gmv.md': note })
      const run = await autotest(dir, ['--no-repair'], open)
      expect(run.err).toContain('the prompt is too long for the model; asking with')
      expect(run.code).toBeLessThan(4)
    },
    3 * minute,
  )
})

function isAnswer(text: string): boolean {
  const answer = z.object({
    answer: z.union([
      z.strictObject({ kind: z.literal('sql'), sql: z.string() }),
      z.strictObject({ kind: z.literal('no_answer'), message: z.string() }),
    ]),
  })
  try {
    return answer.safeParse(JSON.parse(text)).success
  } catch {
    return false
  }
}
