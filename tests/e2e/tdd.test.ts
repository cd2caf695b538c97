import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { fileIssue } from '../../src/app/tdd/file-issue.js'
import type { GateRecord } from '../../src/store/gate-rows.js'
import { openStore } from '../../src/store/store.js'
import { needsPython } from '../needs.js'
import { autotest, autotestProcess, type Ended, removeFolders, scratchFolder } from './sample.js'
import {
  filesIn,
  readIn,
  rightSource,
  sourcePath,
  taskText,
  tddProject,
  testPath,
  writeIn,
  wrongSource,
} from './tdd-project.js'

afterAll(removeFolders)

const tdd = (root: string, ...flags: string[]): Promise<Ended> =>
  autotest(root, ['tdd', 'tasks/discount.yaml', ...flags])

async function openGates(root: string): Promise<readonly GateRecord[]> {
  return JSON.parse((await autotest(root, ['gates', '--json'])).out)
}

async function answer(root: string, choice: string): Promise<void> {
  const [gate] = await openGates(root)
  const { code } = await autotest(root, ['gates', 'answer', gate?.id ?? '', '--choice', choice])
  expect(code).toBe(0)
}

/** What the run database knows of the last task. */
async function taskOf(root: string) {
  const store = await openStore(join(root, 'reports/autotest.db'), { now: () => new Date() })
  try {
    const [task] = store.tasks.ofProject(root)
    if (task === undefined) throw new Error('there is no task')
    const gates = store.gates.ofProject(root)
    return { task, gates, messages: store.tasks.messages(task.id) }
  } finally {
    store.close()
  }
}

describe('autotest tdd', { ...needsPython, timeout: 300_000 }, () => {
  it('asks at the fourth failure, and nothing is written before all tests pass', async () => {
    const root = tddProject()
    const before = filesIn(root)
    const { code, out } = await tdd(root)
    expect([code, filesIn(root)]).toEqual([6, before])
    expect(out).toContain(
      'Tests failing repeatedly (4 times): tests/unit/shop/test_discount.py::test_discount_100_10',
    )
    expect(out).toContain('autotest tdd tasks/discount.yaml')
    // Not answered, nothing happens but the same question.
    const again = await tdd(root)
    expect([again.code, (await openGates(root)).length]).toEqual([6, 1])
    const { messages } = await taskOf(root)
    expect(messages.filter(({ kind }) => kind === 'completion').map(({ data }) => data)).toEqual([
      {
        status: 'complete',
        subagent: 'test-writer',
        files_created: [testPath],
        test_count: 2,
        test_results: { passed: 0, failed: 2, skipped: 0 },
        red_confirmed: true,
        handoff: 'Tests ready for coder. All 2 tests fail as expected (RED).',
      },
      ...[1, 2, 3, 4].map((attempt) =>
        expect.objectContaining({ subagent: 'coder', attempt, status: 'failed' }),
      ),
    ])
  })

  it('A: the debugger says where, the coder mends it, and the project changes after a diff', async () => {
    const root = tddProject()
    await tdd(root)
    await answer(root, 'A')
    const dry = await tdd(root, '--dry-run')
    expect([dry.code, readIn(root, sourcePath)]).toEqual([0, wrongSource])
    for (const part of ['## Diagnostic Report', '- Line: 5', '- Expected: 90', '- Actual: 110.0', 'high - '])
      expect(dry.out).toContain(part)
    expect(dry.out).toContain('-    return price + price * percent / 100')
    const { code, out } = await tdd(root)
    expect([code, readIn(root, sourcePath)]).toEqual([0, rightSource])
    expect(readIn(root, testPath)).toContain('assert discount(200, 50) == 100')
    expect(out).toContain(`wrote    2 files: ${testPath}, ${sourcePath}`)
    const { task, gates, messages } = await taskOf(root)
    expect([task.status, gates.map(({ answer, doneAt }) => [answer, doneAt === undefined])]).toEqual([
      'done',
      [['debugger', false]],
    ])
    expect(messages.map(({ data }) => data)).toContainEqual(
      expect.objectContaining({
        subagent: 'debugger',
        diagnosis: expect.objectContaining({
          failing_location: { file: sourcePath, function: 'discount', line: 5 },
          expected_vs_actual: { expected: '90', actual: '110.0' },
          confidence: 'high',
        }),
      }),
    )
    // There is nothing to do any more.
    expect((await tdd(root)).err).toContain('all criteria with an example hold already')
  })

  it('B: a person changes the code in a folder of the task; unchanged, the gate asks again', async () => {
    const root = tddProject()
    await tdd(root)
    await answer(root, 'B')
    const { code, out } = await tdd(root)
    const folder = /change the files in (\S+),/.exec(out)?.[1] ?? ''
    expect([code, folder]).toEqual([6, join(root, 'reports', (await taskOf(root)).task.id, 'files')])
    expect((await tdd(root)).code).toBe(6)
    expect((await openGates(root))[0]?.question).toContain('(5 times)')
    await answer(root, 'B')
    await tdd(root)
    writeIn(folder, sourcePath, rightSource)
    writeIn(folder, 'tests/unit/test_bigger.py', '')
    const done = await tdd(root)
    expect([done.code, readIn(root, sourcePath)]).toEqual([0, rightSource])
    expect(done.out).toContain('refused  tests/unit/test_bigger.py')
    expect(readIn(root, 'tests/unit/test_bigger.py')).toContain('assert bigger')
  })

  it('C: skips the test as a known issue, whose text is in a file', async () => {
    const root = tddProject()
    await tdd(root)
    await answer(root, 'C')
    // The other test fails as often.
    expect((await tdd(root)).code).toBe(6)
    await answer(root, 'C')
    const { code } = await tdd(root)
    expect([code, readIn(root, sourcePath)]).toEqual([0, wrongSource])
    expect(readIn(root, testPath)).toMatch(
      /import pytest\n[\s\S]*@pytest\.mark\.skip\(reason="known issue g-\w+"\)\ndef test_discount_100/,
    )
    const { task, gates } = await taskOf(root)
    const text = readIn(root, `reports/${task.id}/known-issue-${gates[0]?.id}.md`)
    expect(text).toContain('# Known issue: tests/unit/shop/test_discount.py::test_discount')
    expect(text).toContain('110.0 == 90')
  })

  it('C: files the issue by gh where the user says so, once; without gh its text stays', async () => {
    const root = tddProject()
    const tools = scratchFolder()
    // What gh says, over a file in the place of GitHub.
    writeFileSync(
      join(tools, 'gh'),
      `#!/usr/bin/env node
const { existsSync, readFileSync, writeFileSync } = require('node:fs')
const [, action, ...args] = process.argv.slice(2)
const file = ${JSON.stringify(join(tools, 'issues.json'))}
const issues = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
if (action === 'list') console.log(JSON.stringify(issues))
else {
  const [title, body] = [args[args.indexOf('--title') + 1], args[args.indexOf('--body-file') + 1]]
  issues.unshift({ title, url: 'https://github.com/shop/shop/issues/' + (issues.length + 1), body: readFileSync(body, 'utf8') })
  writeFileSync(file, JSON.stringify(issues))
  console.log(issues[0].url)
}
`,
    )
    chmodSync(join(tools, 'gh'), 0o755)
    await tdd(root)
    await answer(root, 'C')
    const path = { PATH: `${tools}:${process.env['PATH']}` }
    const { out } = await autotest(root, ['tdd', 'tasks/discount.yaml', '--file-issues'], path)
    expect(out).toContain('issue    filed: https://github.com/shop/shop/issues/1')
    const issues = JSON.parse(readFileSync(join(tools, 'issues.json'), 'utf8'))
    expect(issues).toMatchObject([
      {
        title: expect.stringMatching(/^Known issue: tests\/unit\/shop\/test_discount\.py::\S+ \(g-\w+\)$/),
        body: expect.stringContaining('110.0 == 90'),
      },
    ])
    const draft = { title: issues[0].title, file: join(root, 'nothing') }
    const { signal } = new AbortController()
    expect(await fileIssue(draft, { root, env: { ...process.env, ...path }, signal })).toBe(
      'filed already: https://github.com/shop/shop/issues/1',
    )
    expect(await fileIssue(draft, { root, env: { PATH: root }, signal })).toBe(
      'not filed: gh is not installed (https://cli.github.com)',
    )
  })

  it('D: aborts, and nothing has changed', async () => {
    const root = tddProject()
    const before = filesIn(root)
    await tdd(root)
    await answer(root, 'D')
    const { code, err } = await tdd(root)
    expect([code, err, filesIn(root)]).toEqual([1, expect.stringContaining('aborted'), before])
  })

  it('is asked anew once a gate has expired, which can be answered no more', async () => {
    const root = tddProject()
    await tdd(root)
    const [gate] = await openGates(root)
    const store = await openStore(join(root, 'reports/autotest.db'), { now: () => new Date() })
    store.close()
    const { Sqlite } = await import('../../src/platform/sqlite.js')
    const database = new Sqlite(join(root, 'reports/autotest.db'))
    database.prepare("UPDATE gates SET expires_at = '2020-01-01T00:00:00.000Z'").run()
    database.close()
    const late = await autotest(root, ['gates', 'answer', gate?.id ?? '', '--choice', 'A'])
    expect([late.code, late.err]).toEqual([2, expect.stringContaining('expired on 2020-01-01')])
    expect((await tdd(root)).code).toBe(6)
    const [fresh] = await openGates(root)
    expect(fresh?.id).not.toBe(gate?.id)
  })

  it('is no default, no other choice, and no second answer', async () => {
    const root = tddProject()
    await tdd(root)
    const [gate] = await openGates(root)
    const say = (...args: string[]) => autotest(root, ['gates', 'answer', ...args])
    expect((await say(gate?.id ?? '')).code).toBe(2)
    expect((await say(gate?.id ?? '', '--choice', 'E')).err).toContain('Choices: A) Invoke the debugger')
    expect((await say('g-none', '--choice', 'A')).err).toContain('there is no gate g-none')
    expect((await say(gate?.id ?? '', '--choice', 'd')).code).toBe(0)
    expect((await say(gate?.id ?? '', '--choice', 'A')).err).toContain('answered already: D')
  })

  it('begins anew where the task is another text, or with --restart', async () => {
    const root = tddProject()
    await tdd(root)
    const first = (await taskOf(root)).task.id
    writeIn(
      root,
      'tasks/discount.yaml',
      taskText.replace('discount(200, 50) == 100', 'discount(200, 25) == 150'),
    )
    await tdd(root)
    const second = (await taskOf(root)).task.id
    await tdd(root, '--restart')
    expect(new Set([first, second, (await taskOf(root)).task.id]).size).toBe(3)
  })

  it('overwrites nothing that a person changed in the meantime', async () => {
    const root = tddProject()
    await tdd(root)
    await answer(root, 'A')
    await tdd(root, '--dry-run')
    const mine = `${wrongSource}# mine\n`
    writeIn(root, sourcePath, mine)
    const { code, err } = await tdd(root)
    expect([code, readIn(root, sourcePath)]).toEqual([1, mine])
    expect(err).toContain(`${sourcePath} was changed since the task took it`)
  })

  it.each([
    ['words only', { acceptance_criteria: '[it is nice]' }, 'no acceptance criterion has an example'],
    ['a name that nobody placed', { acceptance_criteria: '[rebate(1) == 2]' }, 'nobody says where rebate is'],
    ['what holds already', { acceptance_criteria: '["discount(100, 0) == 100"]' }, 'hold already'],
  ])('gives up on %s, and says why', async (_what, keys, said) => {
    const text = taskText.replace(
      /acceptance_criteria:\n(?: {2}.*\n)+/,
      `acceptance_criteria: ${keys.acceptance_criteria}\n`,
    )
    const root = tddProject({ 'tasks/discount.yaml': text })
    const { code, err } = await tdd(root)
    expect([code, err]).toEqual([1, expect.stringContaining(said)])
  })

  it('tells failures that were there before from those of its work', async () => {
    const root = tddProject({ 'tests/unit/test_old.py': 'def test_old():\n    assert False\n' })
    await tdd(root)
    await answer(root, 'A')
    const { code, out } = await tdd(root)
    expect([code, out]).toEqual([0, expect.stringContaining('suite    3 tests pass')])
  })

  it('holds what the coder broke elsewhere against it', async () => {
    const root = tddProject({
      'tests/unit/test_pinned.py':
        'from shop.calc import discount\n\n\ndef test_pinned():\n    assert discount(100, 10) == 110\n',
    })
    await tdd(root)
    await answer(root, 'A')
    const { code, out } = await tdd(root)
    expect([code, out]).toEqual([
      6,
      expect.stringContaining('tests/unit/test_pinned.py::test_pinned (failed), which passed before'),
    ])
    expect(readIn(root, sourcePath)).toBe(wrongSource)
  })
})

describe('a task that is killed', { ...needsPython, timeout: 600_000 }, () => {
  const killer = pathToFileURL(join(import.meta.dirname, 'kill-task-at.mjs')).href
  const killedAt = (root: string, point: number): Promise<Ended> =>
    autotestProcess(root, ['tdd', 'tasks/discount.yaml'], {
      NODE_OPTIONS: `--import ${killer}`,
      KILL_AT: String(point),
    })

  /** Kills each run at a point until one comes to its end, whose exit code is returned. */
  async function throughKills(root: string, first: number): Promise<number | null> {
    const { code } = await killedAt(root, first)
    return code ?? (await tdd(root)).code
  }

  it('goes on from where it stood: no attempt, no question and no file twice', async () => {
    const reference = tddProject()
    await tdd(reference)
    await answer(reference, 'A')
    await tdd(reference)
    const expected = await taskOf(reference)
    const shape = ({ task, gates, messages }: Awaited<ReturnType<typeof taskOf>>) => ({
      status: task.status,
      gates: gates.map(({ subject, answer: given }) => [subject, given]),
      messages: messages.map(({ kind, data }) => [kind, data]),
    })
    // Points of the first run, up to the gate, and of the second, from its answer to the last write.
    // All points with AUTOTEST_THOROUGH, which the full checks set; else one of each kind.
    const thorough = process.env['AUTOTEST_THOROUGH'] === '1'
    const trials = [
      ...(thorough ? [2, 3, 5, 6, 8] : [3]).map((at) => [at, 0]),
      ...(thorough ? [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13] : [2, 10]).map((at) => [0, at]),
    ]
    for (let at = 0; at < trials.length; at += 3)
      await Promise.all(
        trials.slice(at, at + 3).map(async ([before = 0, after = 0]) => {
          const root = tddProject()
          expect([
            before,
            await (before > 0 ? throughKills(root, before) : tdd(root).then(({ code }) => code)),
          ]).toEqual([before, 6])
          await answer(root, 'A')
          if (after > 0) await killedAt(root, after)
          const { code } = after > 0 ? await tdd(root) : await tdd(root)
          // Killed after the last write, all that is left is to see that it is done.
          expect([after, code === 0 || (code === 1 && after > 10)]).toEqual([after, true])
          expect(filesIn(root)).toEqual(filesIn(reference))
          const found = await taskOf(root)
          if (found.task.file === expected.task.file && code === 0)
            expect(shape(found)).toEqual(shape(expected))
        }),
      )
  })
})

describe('the file of a task', () => {
  it.each([
    [
      'an unknown key',
      { 'tasks/discount.yaml': `${taskText}desing: x\n` },
      /tasks\/discount\.yaml:\d+:\d+ .*desing[\s\S]*did you mean/,
    ],
    [
      'no criterion',
      { 'tasks/discount.yaml': 'task: x\ntarget_test_path: tests/unit/test_a.py\n' },
      /acceptance_criteria/,
    ],
    [
      'a path of no test',
      { 'tasks/discount.yaml': taskText.replace(testPath, 'tests/unit/calc.py') },
      /must be a file of tests/,
    ],
    [
      'a path out of the project',
      { 'tasks/discount.yaml': taskText.replace(testPath, '../test_a.py') },
      /must be a file of tests/,
    ],
    [
      'a path of somebody else',
      { 'tasks/discount.yaml': taskText.replace(testPath, 'src/test_a.py') },
      /test-writer may write tests\/unit/,
    ],
    ['no YAML', { 'tasks/discount.yaml': 'task: [\n' }, /tasks\/discount\.yaml:\d+:\d+/],
  ])('with %s is an error with its place', async (_what, files, said) => {
    const { code, err } = await tdd(tddProject(files))
    expect([code, err]).toEqual([2, expect.stringMatching(said)])
  })

  it('that is not there is an error', async () => {
    const { code, err } = await autotest(tddProject(), ['tdd', 'tasks/none.yaml'])
    expect([code, err]).toEqual([2, expect.stringContaining('there is no such file')])
  })
})
