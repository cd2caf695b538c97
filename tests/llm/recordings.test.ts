import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { AutotestError } from '../../src/errors.js'
import { createBudget } from '../../src/llm/budget.js'
import type { LlmOptions } from '../../src/llm/client.js'
import type { Llm } from '../../src/llm/llm-interface.js'
import { createRecorder, createReplayer } from '../../src/llm/recordings.js'
import { type Policy, startChatServer } from './chat-server.js'
import { edits } from './policies.js'
import { askForEdits, modelOf, openAi, testLlm } from './test-model.js'

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'autotest-tape-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const dead = openAi('http://127.0.0.1:1/v1')
const replaying = (tape: string): Llm => testLlm({ recordings: createReplayer(tape) }).llm

/** What became of a question: the answer, or the error that ended the run. */
async function outcomeOf(llm: Llm, content: string, timeoutMs = 5000, provider = dead): Promise<unknown> {
  try {
    const found = await askForEdits(llm, { ...modelOf(provider, { timeoutMs }) }, content)
    return 'message' in found ? { ...found, message: found.message.replace(/^.* at \S+: /, '') } : found.kind
  } catch (error) {
    if (!(error instanceof AutotestError)) throw error
    return error.code
  }
}

async function recording(policy: Policy, more: Partial<LlmOptions> = {}) {
  const server = await startChatServer(policy)
  onTestFinished(() => server.close())
  const tape = scratch()
  return { server, tape, llm: testLlm({ recordings: createRecorder(tape), ...more }).llm }
}

/** Outcomes of the questions one after the other, live and replayed. */
async function bothWays(policy: Policy, questions: readonly string[], timeoutMs?: number) {
  const { server, tape, llm } = await recording(policy)
  const live: unknown[] = []
  for (const each of questions) live.push(await outcomeOf(llm, each, timeoutMs, openAi(server.baseUrl)))
  const again = replaying(tape)
  const replayed: unknown[] = []
  for (const each of questions) replayed.push(await outcomeOf(again, each))
  return { live, replayed, tape }
}

const fine = edits('nothing', [])

describe('what failed is recorded, and fails alike in a replay', () => {
  it('a deadline that passed', async () => {
    const slow: Policy = ({ last }) =>
      last === 'slow' ? new Promise((resolve) => setTimeout(() => resolve(fine), 1000)) : fine
    const { live, replayed } = await bothWays(slow, ['slow', 'quick'], 200)
    expect(live).toEqual([
      { kind: 'unavailable', message: expect.stringContaining('no answer within 0.2 s. Raise') },
      'answer',
    ])
    expect(replayed).toEqual(live)
  })

  it('an endpoint that asks for more patience than there is', async () => {
    const busy: Policy = () => ({ status: 429, headers: { 'retry-after': '9' } })
    const { live, replayed } = await bothWays(busy, ['a'], 300)
    expect(live).toEqual([{ kind: 'unavailable', message: expect.stringContaining('HTTP 429') }])
    expect(replayed).toEqual(live)
  })

  it('a key that is refused', async () => {
    const { live, replayed } = await bothWays(() => ({ status: 401 }), ['a'])
    expect([live, replayed]).toEqual([['llm_rejected'], ['llm_rejected']])
  })
})

describe('the rule that ends a run after three answers in a row that never came', () => {
  it('decides in a replay as it did, in whatever order answers come', async () => {
    const down: Policy = ({ last }) => (last.startsWith('down') ? { status: 500 } : fine)
    const { live, tape } = await bothWays(down, ['down 1', 'up 1', 'down 2', 'up 2', 'down 3'])
    expect(live.filter((each) => each !== 'answer')).toHaveLength(3)
    const llm = replaying(tape)
    for (const each of ['down 1', 'down 2', 'down 3'])
      expect(await outcomeOf(llm, each)).toMatchObject({ kind: 'unavailable' })
  })

  it('ends a replay where it ended the run, also at what was not sent for that', async () => {
    const { live, replayed } = await bothWays(() => ({ status: 500 }), ['a', 'b', 'c', 'd'])
    expect(live.slice(2)).toEqual(['llm_unavailable', 'llm_unavailable'])
    expect(replayed).toEqual(live)
  })
})

/** What a replay says of a question that it cannot answer. */
function missOf(tape: string, content: string): Promise<unknown> {
  return askForEdits(replaying(tape), modelOf(dead), content).catch((error: unknown) => error)
}

describe('what a run that ended early did not record is a miss with case, role and that end', () => {
  const missing = /contains no recording of case gmv_id for the role repairer \(sample 0, try \d\)/

  it('where it never came to the question', async () => {
    const { tape } = await bothWays(() => ({ status: 401 }), ['a'])
    expect(await missOf(tape, 'b')).toMatchObject({
      code: 'replay_miss',
      message: expect.stringMatching(missing),
      hint: expect.stringContaining('--record'),
    })
    expect(await missOf(tape, 'b')).toMatchObject({
      message: expect.stringMatching(/; a run recorded there ended early \(tiny at .*: HTTP 401/),
    })
  })

  it.each([
    ['a question', () => fine],
    ['another try', () => ({ status: 500 })],
  ] as const)('where its budget did not cover %s', async (_name, policy) => {
    const budget = () => createBudget({ calls: 1 })
    const { server, tape, llm } = await recording(policy, { budget: budget() })
    const live: unknown[] = []
    for (const each of ['a', 'b']) live.push(await outcomeOf(llm, each, 5000, openAi(server.baseUrl)))
    expect(live[1]).toBe('budget_exhausted')
    const short = testLlm({ recordings: createReplayer(tape), budget: budget() }).llm
    expect([await outcomeOf(short, 'a'), await outcomeOf(short, 'b')]).toEqual(live)
    const last = live[0] === 'answer' ? 'b' : 'a'
    expect(await missOf(tape, last)).toMatchObject({
      code: 'replay_miss',
      message: expect.stringMatching(
        /: the recorded run ended before its answer \(the budget of 1 LLM calls/,
      ),
    })
  })

  it('where it was interrupted', async () => {
    const interrupt = new AbortController()
    const { tape, llm, server } = await recording(() => {
      interrupt.abort()
      return new Promise((resolve) => setTimeout(() => resolve(fine), 100))
    })
    const model = modelOf(openAi(server.baseUrl))
    expect((await askForEdits(llm, model, 'a', interrupt.signal)).kind).toBe('unavailable')
    expect(await missOf(tape, 'a')).toMatchObject({
      code: 'replay_miss',
      message: expect.stringMatching(/\(it was interrupted, or reached its time limit\)/),
    })
  })

  it('and leaves an answer that another run recorded there', async () => {
    const { tape } = await bothWays(() => fine, ['a'])
    const { llm } = testLlm({ recordings: createRecorder(tape), budget: createBudget({ calls: 0 }) })
    expect(await outcomeOf(llm, 'a')).toBe('budget_exhausted')
    expect(await outcomeOf(replaying(tape), 'a')).toBe('answer')
  })
})

describe('a folder that cannot be made', () => {
  it.each(['/proc/none', '/proc/none/below', '/dev/null/tape'])('is named at once: %s', (folder) => {
    const problem = expect.objectContaining({
      code: 'write_failed',
      message: expect.stringContaining(folder),
    })
    expect(() => createRecorder(folder)).toThrow(problem)
  })
})

describe('a folder that holds no recordings', () => {
  it('is named where it is missing, or is a file', () => {
    const folder = scratch()
    writeFileSync(join(folder, 'file'), '')
    for (const [name, problem] of [
      ['nowhere', 'does not exist'],
      ['file', 'is a file, not a folder of recordings'],
    ] as const)
      expect(() => createReplayer(join(folder, name))).toThrow(
        expect.objectContaining({
          code: 'config_invalid',
          message: expect.stringContaining(`${name} ${problem}`),
        }),
      )
  })

  it('misses with the case and the role, whatever else is there', async () => {
    const folder = scratch()
    writeFileSync(join(folder, 'package.json'), '{}')
    await expect(askForEdits(replaying(folder), modelOf(dead))).rejects.toMatchObject({
      code: 'replay_miss',
      message: expect.stringMatching(
        /no recording of case gmv_id for the role repairer \(.*\), nor any other$/,
      ),
      hint: 'Give --replay the folder that --record wrote.',
    })
  })
})

describe('a damaged recording is named, with what is wrong', () => {
  it.each([
    ['', 'it is not JSON'],
    ['null', 'the whole'],
    ['{}', 'tries'],
    ['{"tries":[]}', 'tries'],
    ['{"tries":[null]}', 'tries.0'],
    ['{"tries":[{}]}', 'tries.0.kind'],
    ['{"tries":[{"kind":"reply"}]}', 'tries.0.text'],
    ['{"tries":[{"kind":"reply","text":"x","usage":{"inputTokens":"9","outputTokens":1}}]}', 'inputTokens'],
    ['{"tries":[{"kind":"reply","text":"x","usage":{"inputTokens":-9,"outputTokens":1}}]}', 'inputTokens'],
    ['{"tries":[{"kind":"failure","failure":"odd","message":"x"}]}', 'tries.0.failure'],
  ])('%s', async (text, problem) => {
    const { tape } = await bothWays(() => fine, ['a'])
    const file = join(tape, readdirSync(tape)[0] ?? '')
    writeFileSync(file, text)
    const error = await askForEdits(replaying(tape), modelOf(dead), 'a').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(new RegExp(`${file} is not a recording: .*${problem}`)),
      hint: expect.stringContaining('--record'),
    })
  })
})
