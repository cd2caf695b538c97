import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProposalReader } from '../../../../../../src/domains/sql/repair/propose/llm/proposal-reader.js'
import { loadSnapshot } from '../../../../../../src/snapshot/load.js'
import { loadDefinition } from '../../../../../../src/subagent/definition.js'

const root = resolve(import.meta.dirname, '../../../..')
const { snapshot } = await loadSnapshot(root, ['agents'])
const { definition } = loadDefinition(snapshot, 'agents', 'repairer.yaml')
const read = createProposalReader(definition)
const edit = { kind: 'edit_note', path: 'kb/notes/a.md', search: 'x', replace: 'y' }

describe('createProposalReader', () => {
  it('reads an analysis as diagnosis and reasoning, whatever is edited', () => {
    expect(read({ analysis: 'why', edits: [edit] })).toEqual({
      kind: 'read',
      value: { diagnosis: 'why', reasoning: 'why', edits: [edit] },
    })
    expect(read({ analysis: 'why', diagnosis: 'd', reasoning: 'r', edits: [] })).toMatchObject({
      value: { diagnosis: 'd', reasoning: 'r' },
    })
  })

  it('requires a reason to edit and none to edit nothing', () => {
    expect(read({ edits: [] })).toMatchObject({ kind: 'read' })
    expect(read({ edits: [edit] })).toMatchObject({ kind: 'unreadable' })
  })

  it('refuses every other key, and an analysis that is not text', () => {
    expect(read({ analysis: { sql: 'x' }, edits: [] })).toMatchObject({ kind: 'unreadable' })
    expect(read({ analysis: 'a', score: 1, edits: [] })).toMatchObject({
      kind: 'unreadable',
      message: expect.stringContaining('score'),
    })
    expect(read({ analysis: 'a', edits: [{ ...edit, mode: '0777' }] })).toMatchObject({ kind: 'unreadable' })
  })
})
