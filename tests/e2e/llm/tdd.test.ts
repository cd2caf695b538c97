import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { type Asked, type ChatServer, type Said, startChatServer } from '../../llm/chat-server.js'
import { needsPython } from '../../needs.js'
import { autotest, removeFolders } from '../sample.js'
import {
  filesIn,
  readIn,
  rightSource,
  sourcePath,
  tddProject,
  testPath,
  wrongSource,
} from '../tdd-project.js'

const servers: ChatServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})
afterAll(removeFolders)

const goodTests = `from shop.calc import discount


def test_discount_ten_percent_returns_ninety():
    assert discount(100, 10) == 90
`
const call = (name: string, args: object): Said => ({ calls: [{ name, arguments: args }] })
const submit = (summary: string): Said => call('submit_result', { summary })
const diagnosis = {
  root_cause: 'The discount is added.',
  file: sourcePath,
  function: 'discount',
  line: 5,
  analysis: ['The assertion gets 110.', 'Line 5 adds.'],
  expected: '90',
  actual: '110.0',
  recommended_fix: 'Subtract.',
  confidence: 'high',
  rationale: 'one line',
  other_causes: [],
}

/** Who is asked, by what it is told, and how many results of tools it has had. */
function whoIs({ messages }: Asked): {
  readonly who: 'writer' | 'coder' | 'debugger'
  readonly turn: number
} {
  const system = messages[0]?.content ?? ''
  const who = system.startsWith('You write tests')
    ? 'writer'
    : system.startsWith('You find out')
      ? 'debugger'
      : 'coder'
  return { who, turn: messages.filter(({ role }) => role === 'tool').length }
}

async function modelProject(policy: (who: string, turn: number, asked: Asked) => Said) {
  const server = await startChatServer((asked) => {
    const { who, turn } = whoIs(asked)
    return policy(who, turn, asked)
  })
  servers.push(server)
  const root = tddProject({
    'autotest.config.yaml': `llm:\n  base_url: ${server.baseUrl}\n  roles:\n${['test_writer', 'coder', 'debugger'].map((role) => `    ${role}: { model: small }`).join('\n')}\n`,
  })
  const tdd = (...flags: string[]) => autotest(root, ['tdd', 'tasks/discount.yaml', ...flags])
  const answer = async (choice: string) => {
    const [gate] = JSON.parse((await autotest(root, ['gates', '--json'])).out)
    await autotest(root, ['gates', 'answer', gate.id, '--choice', choice])
  }
  return { root, server, tdd, answer }
}

describe('autotest tdd with models', { ...needsPython, timeout: 300_000 }, () => {
  it('has tests written, code, and a refactoring that keeps them green', async () => {
    const { root, tdd } = await modelProject((who, turn, { prompt }) => {
      if (who === 'writer')
        return turn === 0 ? call('write_file', { path: testPath, content: goodTests }) : submit('one test')
      if (prompt.includes('Phase: refactor'))
        return turn === 0
          ? call('write_file', {
              path: sourcePath,
              content: rightSource.replace('price - price * percent / 100', 'price * (100 - percent) / 100'),
            })
          : submit('simpler')
      return turn === 0 ? call('write_file', { path: sourcePath, content: rightSource }) : submit('subtracts')
    })
    const { code, out } = await tdd()
    expect([code, readIn(root, testPath)]).toEqual([0, goodTests])
    expect(readIn(root, sourcePath)).toContain('price * (100 - percent) / 100')
    expect(out).toContain('green    attempt 1: all tests pass · subtracts')
    expect(out).toContain('refactor simpler')
  })

  it('holds each role to its own folders, whatever the model calls', async () => {
    const cheats = [
      'tests/unit/shop/conftest.py',
      'src/conftest.py',
      '../x.py',
      '.git/hooks/pre-commit',
      'pyproject.toml',
      testPath,
    ]
    const { root, tdd } = await modelProject((who, turn) => {
      if (who === 'writer') {
        const paths = [sourcePath, '/etc/x', 'tests/unit/../../src/x.py']
        const path = paths[turn]
        if (path !== undefined) return call('write_file', { path, content: 'x = 1\n' })
        return turn === paths.length
          ? call('write_file', { path: testPath, content: goodTests })
          : submit('done')
      }
      const path = cheats[turn]
      if (path !== undefined) return call('write_file', { path, content: 'def test_x():\n    pass\n' })
      return submit('cheated')
    })
    const before = filesIn(root)
    const { code, out } = await tdd()
    expect([code, filesIn(root)]).toEqual([6, before])
    expect(out).toContain('refused  src/conftest.py')
    const { out: roles } = await autotest(root, ['roles'])
    expect(roles).toMatch(/coder \(tdd\) {2}src\/conftest\.py/)
  })

  it('drops a refactoring that breaks a test', async () => {
    const { root, tdd } = await modelProject((who, turn, { prompt }) => {
      if (who === 'writer')
        return turn === 0 ? call('write_file', { path: testPath, content: goodTests }) : submit('one test')
      const content = prompt.includes('Phase: refactor') ? wrongSource : rightSource
      return turn === 0 ? call('write_file', { path: sourcePath, content }) : submit('done')
    })
    const { code, out } = await tdd()
    expect([code, readIn(root, sourcePath)]).toEqual([0, rightSource])
    expect(out).toContain('refactor dropped')
  })

  it.each([
    ['a syntax error', 'def test_a(:\n', 'no Python'],
    [
      'a misspelt module',
      goodTests.replace('shop.calc', 'shop.clac'),
      'it imports shop.clac; did you mean shop.calc?',
    ],
  ])('does not take %s for RED, and says so to the test-writer', async (_what, content, said) => {
    const { tdd, server } = await modelProject((who, turn, { prompt }) => {
      if (who !== 'writer') return submit('nothing')
      if (prompt.includes('What was wrong'))
        return turn === 0 ? call('write_file', { path: testPath, content: goodTests }) : submit('mended')
      // A file that is no Python is refused by the tool; it is not written by another way.
      return turn === 0 ? call('write_file', { path: testPath, content }) : submit('done')
    })
    const { out } = await tdd()
    expect(out).toContain('red      1 new test')
    const told = server.asked.map(({ prompt }) => prompt).join('\n')
    expect(told).toContain(said === 'no Python' ? 'no test file was written' : said)
  })

  it('gives the diagnosis to the coder, and goes on after a kill without asking twice', async () => {
    const { root, tdd, answer, server } = await modelProject((who, turn, { prompt }) => {
      if (who === 'writer')
        return turn === 0 ? call('write_file', { path: testPath, content: goodTests }) : submit('one test')
      if (who === 'debugger') return call('submit_result', diagnosis)
      if (prompt.includes('Subtract.') && turn === 0)
        return call('write_file', { path: sourcePath, content: rightSource })
      return submit('tried')
    })
    expect((await tdd()).code).toBe(6)
    const asked = server.asked.length
    expect((await tdd()).code).toBe(6)
    expect(server.asked.length).toBe(asked)
    await answer('A')
    const { code, out } = await tdd()
    expect([code, readIn(root, sourcePath)]).toEqual([0, rightSource])
    expect(out).toContain('### Root Cause\nThe discount is added.')
  })

  it('stops at its budget, and goes on with a larger one', async () => {
    const { tdd } = await modelProject((who, turn) => {
      if (who === 'writer')
        return turn === 0 ? call('write_file', { path: testPath, content: goodTests }) : submit('one test')
      return turn === 0 ? call('write_file', { path: sourcePath, content: rightSource }) : submit('done')
    })
    const short = await tdd('--max-llm-calls', '3')
    expect([short.code, short.err]).toEqual([4, expect.stringContaining('--max-llm-calls')])
    expect((await tdd('--max-llm-calls', '20')).code).toBe(0)
  })
})
