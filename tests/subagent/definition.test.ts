import { describe, expect, it } from 'vitest'
import { loadDefinition, modelReference, toolSchemas, toolsByName } from '../../src/subagent/definition.js'
import { submitResult } from '../../src/subagent/definition-types.js'
import { renderMessages } from '../../src/subagent/prompt.js'
import { snapshotOf } from '../contracts/agent.contract.js'

const submit = `  - name: submit_result
    description: The result.
    parameters: { type: object, additionalProperties: false, properties: { text: { type: string } }, required: [text] }
`

function file(tools: string, more = ''): string {
  return `name: tester
model: openai:gpt-5-mini
${more}initial_context:
  system_prompt: You test {{ node_name }}.
  node_context: |
    {% for line in node_text %}
    {{ loop.index }} {{ line }}
    {% endfor %}
tools:
${tools}`
}

const load = (text: string, files: Readonly<Record<string, string>> = {}) =>
  loadDefinition(snapshotOf({ 'agents/a.yaml': text, ...files }), 'agents', 'a.yaml')

describe('a definition', () => {
  it('gives its tools as endpoints take them, each held to its schema', () => {
    const { definition, warnings } = load(file(submit))
    expect(warnings).toEqual([])
    expect(definition.maxTurns).toBe(20)
    expect(toolSchemas(definition)).toMatchObject([
      { type: 'function', function: { name: submitResult, strict: true, parameters: { type: 'object' } } },
    ])
    expect([...toolsByName(definition).keys()]).toEqual([submitResult])
  })

  it.each([
    ['no submit_result', '  []\n', /^agents\/a\.yaml:\d+:\d+ {2}AGENT_001: no tool named submit_result/],
    ['two of them', submit + submit, /AGENT_001: 2 tools named submit_result/],
  ])('%s is AGENT_001, with its place', (_name, tools, message) => {
    expect(() => load(file(tools))).toThrow(
      expect.objectContaining({ code: 'AGENT_001', message: expect.stringMatching(message) }),
    )
  })

  it.each([
    ['sql.yaml', /^Copy .*\/agents\/sql\.yaml to agents\/, as a starting point/],
    ['mine.yaml', /^Give a YAML file/],
  ])('%s that is not there is told with what to do', (path, hint) => {
    expect(() => loadDefinition(snapshotOf({}), 'agents', path)).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(hint) }),
    )
  })

  it.each([
    [
      'one value in place of a list',
      submit.replace('type: string', 'enum: sql'),
      /not a JSON Schema: `enum` of text must be a list, as in \[one, other\]$/,
    ],
    [
      'a text where a map stands',
      submit.replace('properties: { text: { type: string } }', 'properties: text'),
      /not a JSON Schema: `properties` must be a map/,
    ],
    ['a type that there is not', submit.replace('type: string', 'type: strng'), /not a JSON Schema: .*strng/],
    [
      'a dangling reference',
      submit.replace('type: string', '$ref: "#/nowhere"'),
      /not a JSON Schema: .*nowhere/,
    ],
    [
      'a required property that nobody may give',
      submit.replace('required: [', 'required: [reason, '),
      /`required` names reason, which `properties` do not define/,
    ],
    [
      'a property that no answer may have',
      submit.replace('properties: { ', 'properties: { constructor: { type: string }, '),
      /`properties` has constructor, a key for which every answer is rejected/,
    ],
    [
      '`__proto__`',
      submit.replace('properties: { ', 'properties: { __proto__: {}, '),
      /a\.yaml:\d+:\d+ .*`__proto__`/,
    ],
    ['parameters of another type', submit.replace('type: object, add', 'type: array, add'), /type: object/],
    [
      'a tool without a script',
      `${submit}  - { name: read, description: x, parameters: { type: object } }\n`,
      /script/,
    ],
    [
      'a script that does not exist',
      `${submit}  - { name: read, description: x, parameters: { type: object }, script: tools/read.pym }\n`,
      /script tools\/read\.pym does not exist in agents/,
    ],
    [
      'a script outside the folder',
      `${submit}  - { name: read, description: x, parameters: { type: object }, script: ../kb/x.pym }\n`,
      /does not exist in agents/,
    ],
    ['an unknown key', `${submit}    paramters: {}\n`, /unknown key `paramters`/],
  ])('%s is refused', (_name, tools, message) => {
    expect(() => load(file(tools), { 'kb/x.pym': '' })).toThrow(
      expect.objectContaining({ code: 'agent_invalid', message: expect.stringMatching(message) }),
    )
  })

  it('takes a script that exists below the agents folder', () => {
    const tools = `${submit}  - { name: read, description: x, parameters: { type: object, additionalProperties: false }, script: tools/read.pym }\n`
    const { definition } = load(file(tools), { 'agents/tools/read.pym': 'x' })
    expect(toolsByName(definition).get('read')?.script).toBe('agents/tools/read.pym')
  })

  it('warns of parameters that are open', () => {
    const unquoted = submit.replace('{ type: string }', '{ type: string, description: Read, then write. }')
    expect(load(file(unquoted)).warnings).toMatchObject([
      { message: '`parameters` of submit_result have the key "then write." without a value' },
    ])
    const { warnings } = load(file(submit.replace('additionalProperties: false, ', '')))
    expect(warnings).toMatchObject([{ message: expect.stringContaining('additionalProperties: false') }])
  })
})

describe('what an endpoint that enforces schemas refuses is a warning', () => {
  const warningsOf = (properties: string, required: string): unknown =>
    load(
      file(
        submit
          .replace(
            'properties: { text: { type: string } }',
            `properties: { text: { type: string }, ${properties} }`,
          )
          .replace('required: [text]', `required: [${required}]`),
      ),
    ).warnings.map(({ message }) => message)

  it.each([
    [
      'a nested object that is open',
      'more: { type: object, properties: {} }',
      'text, more',
      ['`parameters` of submit_result lack `additionalProperties: false` in more'],
    ],
    [
      'a property that may be left out',
      'sure: { type: boolean }',
      'text',
      ['`required` of submit_result lacks sure'],
    ],
    [
      'both in items of a list, in one of several forms',
      'list: { type: array, items: { anyOf: [{ type: string }, { type: object, properties: { a: { type: string } } }] } }',
      'text, list',
      [
        '`parameters` of submit_result lack `additionalProperties: false` in list[]',
        '`required` of submit_result lacks a in list[]',
      ],
    ],
    ['nothing of one that is closed', 'a: { type: ["string", "null"] }', 'text, a', []],
  ])('%s', (_name, properties, required, messages) => {
    expect(warningsOf(properties, required)).toEqual(messages)
  })

  it.each([
    ['anthropic:claude-sonnet', /`anthropic` is not a known provider \(openai, scripted\)/],
    ['opnai:gpt-5', /`opnai` is not a known provider/],
  ])('the model %s', (model, message) => {
    const { warnings } = load(file(submit).replace('openai:gpt-5-mini', model))
    expect(warnings).toMatchObject([{ line: 2, message: expect.stringMatching(message) }])
  })

  it.each([
    'llama3:8b',
    'mistral:7b-instruct',
    'phi:latest',
    'ft:gpt-4o:me::1',
    'openai:anthropic:x',
    'gpt-5',
  ])('but not the model %s', (model) => {
    expect(load(file(submit).replace('openai:gpt-5-mini', model)).warnings).toEqual([])
  })
})

describe('a template', () => {
  const { definition } = load(file(submit))

  it('is filled in as Jinja', () => {
    const [system, user] = renderMessages(definition, { node_name: 'f', node_text: ['a', 'b'] })
    expect([system?.content, user?.content]).toEqual(['You test f.', '1 a\n2 b\n'])
  })

  it('with a variable that is not given is an error that names the nearest', () => {
    expect(() => renderMessages(definition, { node_nam: 'f', node_text: [] })).toThrow(
      expect.objectContaining({
        code: 'agent_invalid',
        message: 'agents/a.yaml:4: system_prompt: unknown variable `node_name`',
        hint: 'did you mean `node_nam`?',
      }),
    )
  })
})

it('a template knows which lines of the file are its own', () => {
  const { systemPrompt, nodeContext } = load(file(submit)).definition.places
  expect(systemPrompt).toMatchObject({
    file: 'agents/a.yaml',
    key: 'system_prompt',
    line: 4,
    isLiteral: false,
  })
  expect(nodeContext).toMatchObject({ key: 'node_context', line: 5, isLiteral: true })
})

it.each([
  ['openai:gpt-5-mini', { kind: 'endpoint', provider: 'openai', model: 'gpt-5-mini' }],
  ['llama3:8b', { kind: 'endpoint', provider: 'openai', model: 'llama3:8b' }],
  ['scripted:replies.yaml', { kind: 'endpoint', provider: 'scripted', model: 'replies.yaml' }],
  ['weights/tiny.gguf', { kind: 'file', path: 'agents/weights/tiny.gguf' }],
])('model %s', (text, reference) => {
  expect(modelReference(text, 'agents')).toEqual(reference)
})
