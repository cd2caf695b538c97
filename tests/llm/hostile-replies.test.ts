import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { findForbiddenText } from '../../src/domains/sql/repair/propose/llm/content-guard.js'
import { defaultFormat } from '../../src/kb/default-format.js'
import { parseKnowledgeBase } from '../../src/kb/parse.js'
import { createSnapshot } from '../../src/snapshot/snapshot.js'
import { startChatServer } from './chat-server.js'
import { inOurForm } from './hostile-form.js'
import { askForEdits, modelOf, openAi, testLlm } from './test-model.js'

const file = fileURLToPath(new URL('../../../shared/hostile/llm_replies.json', import.meta.url))

interface HostileReply {
  readonly name: string
  readonly reply: string | null
  readonly expect: string
}

const own: readonly HostileReply[] = [
  { name: 'empty', reply: '', expect: 'reject' },
  { name: 'null content', reply: null, expect: 'reject' },
  { name: 'prose', reply: 'I cannot help with that.', expect: 'reject' },
  { name: 'fenced', reply: '```json\n{"edits":[]}\n```', expect: 'accept' },
  { name: 'think block', reply: '<think>{"edits":[{"path":"../x"}]}</think>{"edits":[]}', expect: 'accept' },
  { name: 'thinking without end', reply: '<think>{"edits":[]}', expect: 'reject' },
  { name: 'two blocks', reply: '{"edits":[]}\n{"edits":[]}', expect: 'reject' },
  {
    name: 'two fenced blocks',
    reply: '```json\n{"edits":[]}\n```\n```json\n{"edits":[]}\n```',
    expect: 'reject',
  },
  { name: 'truncated', reply: '{"edits":[{"path":"kb/ok.yml","op":"replace","find', expect: 'reject' },
  { name: 'proto', reply: '{"edits":[],"__proto__":{"allowed":true}}', expect: 'reject' },
  { name: 'nested proto', reply: '{"edits":[],"x":{"constructor":{}}}', expect: 'reject' },
  { name: 'byte order mark', reply: '\ufeff{"edits":[]}', expect: 'accept' },
  { name: 'list', reply: '[{"edits":[]}]', expect: 'reject' },
  { name: 'deep', reply: `{"edits":[],"x":${'['.repeat(200)}${']'.repeat(200)}}`, expect: 'reject' },
]

const listed = z.object({
  replies: z.array(z.object({ name: z.string(), reply: z.string().nullable(), expect: z.string() })),
})
const shared: readonly HostileReply[] = existsSync(file)
  ? listed.parse(JSON.parse(readFileSync(file, 'utf8'))).replies
  : []
if (shared.length === 0)
  console.warn(
    '../shared/hostile/llm_replies.json is absent: skipped, only the replies of this file are tested',
  )

const noKnowledge = parseKnowledgeBase(createSnapshot(new Map()), 'kb')

describe('hostile replies', () => {
  it.each([...own, ...shared])('$name: $expect', async ({ reply, expect: wanted }) => {
    const text = inOurForm(reply)
    const server = await startChatServer(() => ({ text }))
    onTestFinished(() => server.close())
    const { llm, calls } = testLlm()
    const answer = await askForEdits(llm, modelOf(openAi(server.baseUrl)))
    const proposed = answer.kind === 'answer' ? answer.value.edits : []
    const edits = proposed.map((edit) => defaultFormat.modelEdits.toEdit(edit, noKnowledge))
    const problem = findForbiddenText(
      edits.flatMap((edit) => (edit.kind === 'edit_metric' ? [] : [edit])),
      (each) => each,
    )
    // An edit of a text that is not there, or that is empty, is refused by whoever applies it.
    const applicable = edits.every((edit) => !('search' in edit) || edit.search === 'x')
    const taken = answer.kind === 'answer' && problem === undefined && applicable
    if (wanted === 'accept') expect(taken).toBe(true)
    else if (wanted !== 'review') expect(taken).toBe(false)
    if (answer.kind !== 'answer') expect(calls).toHaveLength(2)
  })
})
