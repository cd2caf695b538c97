import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { guidelinesContext } from '../../src/roles/guidelines-context.js'
import { loadGuidelines } from '../../src/roles/load-guidelines.js'
import { createSnapshot } from '../../src/snapshot/snapshot.js'

const folder = resolve(import.meta.dirname, '../../agents/guidelines')
const shipped = Object.fromEntries(
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
)
const load = (files: Readonly<Record<string, string>>) =>
  loadGuidelines(
    createSnapshot(
      new Map(
        Object.entries(files).map(([name, text]) => [
          `agents/guidelines/${name}`,
          new TextEncoder().encode(text),
        ]),
      ),
    ),
    'agents/guidelines',
  )
const restriction = (id: string, priority: number, allowed: string[], denied: string[]) =>
  JSON.stringify({
    id,
    name: id,
    description: id,
    category: 'test',
    priority,
    condition: { agents: ['coder'] },
    action: { type: 'tool_restriction', instruction: id, tools_allowed: allowed, tools_denied: denied },
  })

describe('the guidelines that come with the program', () => {
  it('are those of the protocol', () => {
    expect(load(shipped).map(({ id, priority }) => [id, priority])).toEqual([
      ['cognitive-isolation-debugger', 900],
      ['cognitive-isolation-test-writer', 900],
      ['tdd-debugger-escalation', 850],
      ['tdd-protocol', 700],
      ['tdd-test-writer-protocol', 800],
    ])
  })

  it('tell the test-writer to write failing tests first', () => {
    const context = guidelinesContext(load(shipped), { agent: 'test-writer', action: 'test' })
    expect(context.guidelines.map(({ id }) => id)).toEqual([
      'cognitive-isolation-test-writer',
      'tdd-test-writer-protocol',
      'tdd-protocol',
    ])
    expect(context).toMatchObject({
      tools_allowed: ['Read', 'Grep', 'Glob', 'Bash', 'Write'],
      tools_denied: [],
      require_tests: true,
      gates: [],
    })
    expect(context.instruction).toMatch(/^Test-writer agent may only create/)
  })

  it('deny the debugger to write', () => {
    const context = guidelinesContext(load(shipped), { agent: 'debugger', action: 'debug' })
    expect(context.tools_denied).toEqual(['Write', 'Edit'])
  })

  it('open the gate only once a test has failed repeatedly', () => {
    const question = { agent: 'backend', action: 'fix' }
    expect(guidelinesContext(load(shipped), question).gates).toEqual([])
    expect(
      guidelinesContext(load(shipped), { ...question, events: ['test_failure_repeated'] }).gates,
    ).toEqual([
      { id: 'tdd-debugger-escalation', gate_type: 'test_failure_escalation', gate_threshold: 'advisory' },
    ])
  })
})

describe('guidelines that disagree', () => {
  it('are decided by priority, and among equals for the one that denies', () => {
    const context = guidelinesContext(
      load({
        'a.json': restriction('a', 100, ['Write', 'Bash'], []),
        'b.json': restriction('b', 200, [], ['Write']),
        'c.json': restriction('c', 100, [], ['Bash']),
      }),
      { agent: 'coder' },
    )
    expect([context.tools_allowed, context.tools_denied]).toEqual([[], ['Write', 'Bash']])
  })

  it('say nothing where they are disabled, or for another agent', () => {
    const files = {
      'a.json': restriction('a', 1, [], ['Bash']).replace('"category"', '"enabled":false,"category"'),
    }
    expect(guidelinesContext(load(files), { agent: 'coder' }).tools_denied).toEqual([])
    expect(
      guidelinesContext(load({ 'a.json': restriction('a', 1, [], ['Bash']) }), { agent: 'x' }).guidelines,
    ).toEqual([])
  })
})

describe('a file that changes a guideline', () => {
  it('changes the keys that it has, nested ones too', () => {
    const change = JSON.stringify({ id: 'tdd-protocol', priority: 950, action: { instruction: 'Ours.' } })
    const [changed] = load({ ...shipped, 'ours.json': change }).filter(({ id }) => id === 'tdd-protocol')
    expect(changed).toMatchObject({
      name: 'TDD Protocol',
      priority: 950,
      condition: { actions: ['test', 'implement', 'fix', 'debug'] },
      action: { type: 'constraint', instruction: 'Ours.', require_tests: true },
    })
  })

  it.each([
    [
      'a guideline that is not there',
      { id: 'tdd-protocoll', priority: 1 },
      /ours\.json:1:2 {2}there is no guideline "tdd-protocoll"[\s\S]*did you mean tdd-protocol/,
    ],
    [
      'a key of another type of action',
      { id: 'tdd-protocol', action: { gate_type: 'x' } },
      /ours\.json:1:\d+ {2}action: Unrecognized key: "gate_type"/,
    ],
    [
      'a key that no guideline has',
      { id: 'tdd-protocol', prority: 1 },
      /unknown key `prority`[\s\S]*priority/,
    ],
  ])('is refused with its place: %s', (_what, change, message) => {
    let thrown: unknown
    try {
      load({ ...shipped, 'ours.json': JSON.stringify(change) })
    } catch (error) {
      thrown = error
    }
    const { code, message: said, hint } = thrown as { code: string; message: string; hint?: string }
    expect(code).toBe('guideline_invalid')
    expect(`${said} ${hint ?? ''}`).toMatch(message)
  })
})

it.each([
  [
    'two of one id',
    { 'a.json': restriction('a', 1, [], []), 'b.json': restriction('a', 2, [], []) },
    /b\.json:1:2 {2}agents\/guidelines\/a\.json has this id/,
  ],
  ['a file that is no JSON', { 'a.json': '{"id": ' }, /a\.json:1/],
  [
    'an event that nobody knows',
    { 'a.json': restriction('a', 1, [], []).replace('"agents"', '"events":["x"],"agents"') },
    /a\.json:1:\d+ .*event/,
  ],
])('is refused: %s', (_what, files, message) => {
  expect(() => load(files)).toThrow(message)
})
