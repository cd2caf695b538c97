import { expect, it } from 'vitest'
import { parseAgentFlag } from '../../src/config/agent-flag.js'
import { llmAgentDefaults } from '../../src/config/config.js'
import { splitCommand } from '../../src/config/split-command.js'

it.each([
  ['template', { kind: 'template' }],
  ['llm', { kind: 'llm', ...llmAgentDefaults }],
  ['llm:mine.yaml', { kind: 'llm', ...llmAgentDefaults, definition: 'mine.yaml' }],
  [
    'http:https://host/ask',
    { kind: 'http', url: 'https://host/ask', deterministic: false, tokenEnv: undefined },
  ],
  [
    'http://localhost:8000/ask',
    { kind: 'http', url: 'http://localhost:8000/ask', deterministic: false, tokenEnv: undefined },
  ],
  ['module:agents/mine.mjs', { kind: 'module', path: 'agents/mine.mjs', deterministic: false }],
  ['module:C:/x.mjs', { kind: 'module', path: 'C:/x.mjs', deterministic: false }],
  [
    'command:python agent.py',
    { kind: 'command', run: ['python', 'agent.py'], deterministic: false, env: [] },
  ],
])('--agent %s', (text, agent) => {
  expect(parseAgentFlag(text)).toEqual(agent)
})

it.each([
  '',
  'llm:',
  'http:',
  'http:ftp://x',
  'https://me:secret@x',
  'http:https://me:secret@x',
  'http:https://x/?token=secret',
  'template:x',
  'module',
  'module:',
  'command: ',
  "command:a 'b",
])('--agent %j is refused', (text) => {
  expect(() => parseAgentFlag(text)).toThrow(
    expect.objectContaining({ code: 'usage', message: expect.not.stringMatching(/secret@|=secret/) }),
  )
})

it('a misspelt kind is named with the one that was meant', () => {
  expect(() => parseAgentFlag('modul:a.mjs')).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(/^did you mean `module`\?/) }),
  )
})

it.each([
  ['a b  c', ['a', 'b', 'c']],
  [`a 'b c' "d 'e'" f\\ g`, ['a', 'b c', "d 'e'", 'f g']],
  [`a ''`, ['a', '']],
  [`x"y z"w`, ['xy zw']],
  [`'a\\b' "c\\"d"`, ['a\\b', 'c"d']],
  ['$HOME `id` ; rm', ['$HOME', '`id`', ';', 'rm']],
])('the command %s is split as a shell would, and nothing is expanded', (text, words) => {
  expect(splitCommand(text)).toEqual(words)
})

it.each(['', '   ', `a 'b`, 'a "b'])('%j is no command', (text) => {
  expect(splitCommand(text)).toBeUndefined()
})
