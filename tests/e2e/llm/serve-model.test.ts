import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { MessageConnection } from 'vscode-jsonrpc/node'
import { type ChatServer, type Said, startChatServer } from '../../llm/chat-server.js'
import { needsPython } from '../../needs.js'
import { removeFolders } from '../sample.js'
import { connect, killServers } from '../serve-connection.js'
import { filesIn, rightSource, sourcePath, tddProject } from '../tdd-project.js'

const models: ChatServer[] = []
afterEach(async () => {
  killServers()
  for (const model of models.splice(0)) await model.close()
})
afterAll(removeFolders)

const good = `from shop.calc import discount


def test_discount_half():
    """Half of a price."""
    assert discount(100, 50) == 50
`
const cheat = `from shop.calc import discount


def test_discount_equals_itself():
    assert discount(100, 50) == discount(100, 50)
`
const call = (name: string, args: object): Said => ({ calls: [{ name, arguments: args }] })
const submit = (passing: number): Said =>
  call('submit_result', {
    ...{ summary: 's', tests_generated: 1, tests_passing: passing },
    changed_files: ['tests/unit/test_calc.py'],
  })

/** A server of an editor whose model writes these files, one for each answer. */
async function withModel(texts: readonly string[]): Promise<{
  readonly root: string
  readonly connection: MessageConnection
  readonly prompts: readonly string[]
}> {
  let answers = 0
  const prompts: string[] = []
  const model = await startChatServer(({ messages, prompt }) => {
    prompts.push(prompt)
    const turn = messages.filter(({ role }) => role === 'tool').length
    const content = texts[Math.min(answers, texts.length - 1)] ?? ''
    if (turn === 1) return call('run_tests', { path: null })
    if (turn > 1) {
      answers += 1
      return submit(content.includes('== 51') ? 0 : 1)
    }
    return call('write_test_file', { content, path: null })
  })
  models.push(model)
  const root = tddProject({
    [sourcePath]: rightSource,
    'autotest.config.yaml': `llm:\n  base_url: ${model.baseUrl}\n  roles:\n    test_writer: { model: small }\n`,
  })
  return { root, prompts, connection: connect(root).connection }
}

const request = { function: { name: 'discount', filePath: sourcePath }, writer: 'model' }

describe('generate_tests by a model', { ...needsPython, timeout: 120_000 }, () => {
  it('writes tests with the agent of the project, says what they kill, and writes nothing to it', async () => {
    const { root, connection } = await withModel([good])
    const before = filesIn(root)
    expect(await connection.sendRequest('generate_tests', request)).toMatchObject({
      ...{ code: good, test_names: ['test_discount_half'], test_file: 'tests/unit/test_calc.py' },
      validation: { valid: true, passed: 1, failed: 0, attempts: 1 },
      tests: [{ name: 'test_discount_half', kills: expect.arrayContaining([expect.anything()]) }],
    })
    expect(filesIn(root)).toEqual(before)
  })

  it('that asserts nothing, or fails, is asked again, at most twice', async () => {
    const failing = good.replace('== 50', '== 51')
    const { connection } = await withModel([cheat, failing, good])
    expect(await connection.sendRequest('generate_tests', request)).toMatchObject({
      code: good,
      validation: { valid: true, attempts: 3 },
      // What an attempt wrote into the copy is no text of the project.
      files: [{ path: 'tests/unit/test_calc.py', after: good }],
    })
    const { files } = await connection.sendRequest<{ files: object[] }>('generate_tests', request)
    expect(files[0]).not.toHaveProperty('before')
  })

  it('that never does says why', async () => {
    const { connection } = await withModel([cheat])
    await expect(connection.sendRequest('generate_tests', request)).rejects.toMatchObject({
      code: -32000,
      data: { code: 'python_failed' },
    })
  })

  it('reads the unsaved text', async () => {
    const { connection, prompts } = await withModel([good])
    await connection.sendRequest('generate_tests', {
      ...request,
      unsaved: [{ filePath: sourcePath, text: rightSource.replace('less some percent', 'UNSAVED') }],
    })
    expect(prompts.some((prompt) => prompt.includes('UNSAVED'))).toBe(true)
  })
})
