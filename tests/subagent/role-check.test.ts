import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sqlExample } from '../../src/agent/llm-agent.js'
import { judgeExample } from '../../src/compare/judge/llm-judge.js'
import { repairerExample } from '../../src/domains/sql/repair/propose/llm/prompt-variables.js'
import { loadDefinition } from '../../src/subagent/definition.js'
import { checkRole, type RoleExample } from '../../src/subagent/role-check.js'
import { snapshotOf } from '../contracts/agent.contract.js'

const examples: Readonly<Record<string, RoleExample>> = {
  sql: sqlExample,
  judge: judgeExample,
  repairer: repairerExample,
}

function check(role: string, change: (text: string) => string): void {
  const text = readFileSync(`agents/${role}.yaml`, 'utf8')
  const changed = change(text)
  const { definition } = loadDefinition(snapshotOf({ 'agents/a.yaml': changed }), 'agents', 'a.yaml')
  const example = examples[role]
  if (example === undefined) throw new Error(role)
  checkRole(definition, example)
}

const enumOfSql = 'kind: { type: string, enum: [sql] }'

describe('a definition in its role', () => {
  it.each(Object.keys(examples))('%s: the one that comes with the program can play it', (role) => {
    expect(() => check(role, (text) => text)).not.toThrow()
  })

  it.each([
    ['sql', '{{ question }}', '{{ question | nosuchfilter }}', /cannot be filled in: .*nosuchfilter/],
    ['sql', '{{ entry.text }}', '{{ entry.txt }}', /node_context: unknown attribute `entry.txt`/],
    ['sql', '{{ question }}', '{{ entries[0].path.upper() }}', /cannot be filled in/],
    ['sql', '{{ question }}', '{{ dialect }}', /node_context does not show `question`/],
    ['judge', '{{ second }}', '{{ first }}', /node_context does not show `second`/],
    ['sql', enumOfSql, 'kind: { type: string, enum: [query] }', /submit_result does not allow the answer/],
    ['sql', 'sql: { type: string', 'query: { type: string', /does not allow the answer .*Unrecognized key/],
    ['judge', 'enum: [equivalent, not, unsure]', 'enum: [yes, no]', /does not allow the answer .*answer/],
    [
      'repairer',
      'reasoning: { type: string',
      'reasoning: { type: integer',
      /does not allow the answer .*reasoning/,
    ],
  ])('%s: %s as %s is refused', (role, before, after, message) => {
    expect(() => check(role, (text) => text.replace(before, after))).toThrow(
      expect.objectContaining({ code: 'agent_invalid', message: expect.stringMatching(message) }),
    )
  })

  it.each([
    ['kind: { type: string, enum: [no_answer] }', 'kind: { type: string, enum: [none] }'],
    ['sql: { type: string', 'sql: { pattern: "^SELECT id", type: string'],
    ['required: [kind, message]', 'required: [kind]'],
    [
      'required: [answer]\n      properties:',
      'required: [answer, sure]\n      properties:\n        sure: { type: boolean }',
    ],
  ])('sql: %s as %s is its own affair', (before, after) => {
    expect(() => check('sql', (text) => text.replace(before, after))).not.toThrow()
  })
})
