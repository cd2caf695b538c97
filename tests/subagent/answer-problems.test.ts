import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { proposalSchema } from '../../src/domains/sql/repair/propose/llm/proposal-schema.js'
import { createSnapshot } from '../../src/snapshot/snapshot.js'
import { loadDefinition } from '../../src/subagent/definition.js'
import { createAnswerReader } from '../../src/subagent/prompt.js'

const path = 'agents/repairer.yaml'
const bytes = readFileSync(new URL(`../../${path}`, import.meta.url))
const { definition } = loadDefinition(createSnapshot(new Map([[path, bytes]])), 'agents', 'repairer.yaml')
const read = createAnswerReader(definition, proposalSchema)

const metric = {
  kind: 'edit_metric',
  path: 'kb/metrics/a.yaml',
  action: 'set',
  at: ['title'],
  expected: null,
}

it.each([
  [
    'all that a value may be which tells forms apart',
    { kind: 'delete_file', path: 'x' },
    'edits.0.kind: Invalid input: expected one of "edit_snippet"|"edit_note"|"edit_metric"|"create_snippet"|"create_metric"',
  ],
  [
    'what the form lacks that was meant',
    { kind: 'edit_note', path: 'x', search: 'y' },
    'edits.0.replace: Invalid input: expected string, received undefined',
  ],
  [
    'what the form has too much',
    { kind: 'create_snippet', path: 'x', text: 'y', search: 'z' },
    'edits.0: Unrecognized key: "search"',
  ],
  [
    'all types of a value that may have several',
    { ...metric, value: {} },
    'edits.0.value: Invalid input: expected one of string|number|boolean|null|array',
  ],
  ['an edit that is none', 'add the filter', 'edits.0: Invalid input: expected object'],
])('an answer is told %s', (_name, edit, message) => {
  expect(read({ diagnosis: 'd', reasoning: 'r', edits: [edit] })).toEqual({ kind: 'unreadable', message })
})

it('an answer with much that is wrong is told the first three', () => {
  const edits = Array.from({ length: 9 }, () => ({ kind: 'x' }))
  const reading = read({ edits })
  expect(reading.kind === 'unreadable' && reading.message.split('; ')).toEqual([
    expect.stringMatching(/^edits\.0\.kind: /),
    expect.stringMatching(/^edits\.1\.kind: /),
    expect.stringMatching(/^edits\.2\.kind: /),
  ])
})
