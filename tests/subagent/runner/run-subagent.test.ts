import { describe, expect, it } from 'vitest'
import { createSnapshot } from '../../../src/snapshot/snapshot.js'
import { loadDefinition } from '../../../src/subagent/definition.js'
import { replayedModel } from '../../../src/subagent/runner/replayed-model.js'
import { runSubagent, type SubagentWork } from '../../../src/subagent/runner/run-subagent.js'
import { callsOf, scriptsOf } from '../../../src/subagent/runner/trace.js'
import type { ModelTurn, TurnModel, TurnRequest } from '../../../src/subagent/runner/turn-model.js'

const definitionText = `
name: adder
model: openai:none
max_turns: 4
initial_context:
  system_prompt: Add numbers.
  node_context: "{{ node_type }} {{ node_name }} in {{ file_path }}: {{ node_text }}"
context_providers: [{ name: hint, script: hint.pym }]
tools:
  - name: add
    script: add.pym
    description: Adds two numbers.
    parameters: { type: object, additionalProperties: false, required: [a, b], properties: { a: { type: integer }, b: { type: integer } } }
    context_providers: [hint.pym]
  - name: broken
    script: broken.pym
    description: Fails.
    parameters: { type: object, additionalProperties: false, required: [], properties: {} }
  - name: submit_result
    description: Ends.
    parameters: { type: object, additionalProperties: false, required: [sum], properties: { sum: { type: integer } } }
`
const add = `from grail import Input, external

a: int = Input("a")
b: int = Input("b")


@external
async def carry(value: int) -> int:
    """Carries."""
    ...


{"sum": a + b + await carry(value=0)}
`
const broken = 'x = {}\n\nx["nothing"]\n'
const files = {
  'agents/adder.yaml': definitionText,
  'agents/add.pym': add,
  'agents/broken.pym': broken,
  'agents/hint.pym': '"be careful"\n',
}
const snapshot = createSnapshot(
  new Map(Object.entries(files).map(([path, text]) => [path, new TextEncoder().encode(text)])),
)
const { definition } = loadDefinition(snapshot, 'agents', 'adder.yaml')

function turns(...said: readonly ModelTurn[]): TurnModel & { readonly asked: TurnRequest[] } {
  const asked: TurnRequest[] = []
  return {
    asked,
    async next(request) {
      asked.push({ ...request, messages: [...request.messages] })
      return said[request.turn] ?? { text: 'nothing more', calls: [] }
    },
  }
}
const calls = (...made: readonly [string, unknown][]): ModelTurn => ({
  text: '',
  calls: made.map(([name, args], at) => ({
    id: `c${at}`,
    name,
    arguments: typeof args === 'string' ? args : JSON.stringify(args),
  })),
})
const work = (model: TurnModel, over: Partial<SubagentWork> = {}): SubagentWork => ({
  definition,
  snapshot,
  variables: { node_type: 'function', node_name: 'f', file_path: 'a.py', node_text: 'def f(): …' },
  host: { carry: ({ value }) => value },
  model,
  timeoutMs: 30_000,
  signal: new AbortController().signal,
  ...over,
})

describe('runSubagent', () => {
  it('renders what its templates name, and shows the context before the first turn', async () => {
    const model = turns(calls(['submit_result', { sum: 1 }]))
    await runSubagent(work(model))
    const [first] = model.asked
    expect(first?.messages).toEqual([
      { role: 'system', content: 'Add numbers.' },
      { role: 'user', content: 'function f in a.py: def f(): …\n\nhint:\nbe careful' },
    ])
    expect(first?.tools.map((tool) => tool.function.name)).toEqual(['add', 'broken', 'submit_result'])
  })

  it('gives the results of parallel calls back in order, and ends when it submits', async () => {
    const model = turns(
      calls(['add', { a: 1, b: 2 }], ['add', { a: 3, b: 4 }]),
      calls(['submit_result', { sum: 10 }]),
    )
    const trace = await runSubagent(work(model))
    expect(model.asked[1]?.messages.slice(2)).toMatchObject([
      { role: 'assistant', calls: [{ name: 'add' }, { name: 'add' }] },
      { role: 'tool', callId: 'c0', content: '{"sum":3}\nbe careful' },
      { role: 'tool', callId: 'c1', content: '{"sum":7}\nbe careful' },
    ])
    expect(trace.ending).toEqual({ kind: 'submitted', args: { sum: 10 }, value: { sum: 10 } })
    expect(scriptsOf(trace)).toEqual(['agents/add.pym', 'agents/hint.pym'])
    expect(callsOf(trace)[0]?.host).toMatchObject([
      { name: 'carry', args: { value: 0 }, answer: { value: 0 } },
    ])
  })

  it.each([
    [
      'a tool that is not there',
      ['sub', { a: 1 }],
      'there is no tool sub: there are add, broken, submit_result',
    ],
    [
      'arguments of another type',
      ['add', { a: 'one', b: 2 }],
      'the arguments of add do not keep to its schema: a: ',
    ],
    ['arguments that are missing', ['add', { a: 1 }], 'do not keep to its schema: b: '],
    ['arguments that are no JSON', ['add', '{"a": 1'], 'the arguments of add are no JSON object'],
    [
      'arguments of a submission',
      ['submit_result', { sum: 'ten' }],
      'submit_result do not keep to its schema',
    ],
    ['a script that fails', ['broken', {}], 'agents/broken.pym:3: KeyError'],
  ] as const)('tells the model of %s, and goes on', async (_what, made, words) => {
    const model = turns(calls([made[0], made[1]]), calls(['submit_result', { sum: 3 }]))
    const trace = await runSubagent(work(model))
    expect(model.asked[1]?.messages.at(-1)?.content).toContain(words)
    expect(trace.turns[0]?.calls[0]?.problem).toContain(words)
    expect(trace.ending.kind).toBe('submitted')
  })

  it('ends a model that never submits, after its turns', async () => {
    const again = calls(['add', { a: 1, b: 1 }])
    const trace = await runSubagent(work(turns(again, again, again, again, again)))
    expect(trace.turns).toHaveLength(4)
    expect(trace.ending).toEqual({ kind: 'not_submitted', reason: 'it did not submit in 4 turns' })
  })

  it('reminds a model that only talks once, then ends', async () => {
    const model = turns({ text: 'Let me think.', calls: [] })
    const trace = await runSubagent(work(model))
    expect(model.asked[1]?.messages.at(-1)?.content).toContain('call submit_result')
    expect(trace.ending).toMatchObject({ reason: 'it called no tool 2 times in a row' })
  })

  it('ends when its time is over', async () => {
    const model: TurnModel = {
      next: (_request, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        }),
    }
    const trace = await runSubagent(work(model, { timeoutMs: 1000 }))
    expect(trace.ending).toEqual({ kind: 'not_submitted', reason: 'it did not submit in 1 s' })
  })

  it('rejects when it is interrupted', async () => {
    const abort = new AbortController()
    const model: TurnModel = {
      async next() {
        abort.abort(new Error('stop'))
        return calls(['add', { a: 1, b: 2 }])
      },
    }
    await expect(runSubagent(work(model, { signal: abort.signal }))).rejects.toThrow('stop')
  })

  it('keeps what the host saw beside what a tool said', async () => {
    const trace = await runSubagent(
      work(turns(calls(['add', { a: 1, b: 2 }]), calls(['submit_result', { sum: 3 }])), {
        observe: async (name, args) => async () => (name === 'add' ? { args } : undefined),
      }),
    )
    expect(callsOf(trace)[0]?.truth).toEqual({ args: { a: 1, b: 2 } })
  })

  it('says the same again when a trace is replayed', async () => {
    const model = turns(calls(['add', { a: 1, b: 2 }]), calls(['submit_result', { sum: 3 }]))
    const trace = await runSubagent(work(model))
    const again = await runSubagent(work(replayedModel(JSON.parse(JSON.stringify(trace)))))
    expect(again).toEqual(trace)
  })
})
