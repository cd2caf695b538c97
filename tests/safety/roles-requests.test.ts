import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { answerGuard } from '../../src/roles/guard.js'
import { defaultRoles } from '../../src/roles/role.js'

// A request that two programs may read in two ways is judged in neither.

const root = mkdtempSync(join(tmpdir(), 'autotest-requests-'))
afterAll(() => rmSync(root, { recursive: true }))
mkdirSync(join(root, 'src'))

const ask = (text: string) =>
  answerGuard(text, {
    root,
    role: 'coder',
    roles: defaultRoles,
    guidelines: [],
    sandbox: ['autotest', 'sandbox'],
  })
const hook = (rest: string) => `{"hook_event_name": "PreToolUse", ${rest}}`

describe('a request that is not clear is denied', () => {
  it.each([
    hook('"tool_name": "Write", "tool_name": "Read", "tool_input": {"file_path": "src/a.ts"}'),
    hook('"tool_name": "Write", "tool\\u005fname": "Read", "tool_input": {"file_path": "src/a.ts"}'),
    hook('"tool_name": "Write", "tool_input": {"file_path": "/etc/passwd", "file_path": "src/a.ts"}'),
    hook('"tool_name": "Write", "tool_input": {"file_path": "x"}, "tool_input": {"file_path": "src/a.ts"}'),
    hook('"tool_name": "Bash", "tool_input": {"command": "rm x", "command"\n : "ls"}'),
    '{"tool": "Write", "tool": "Read", "path": "src/a.ts"}',
  ])('a key twice: %s', async (text) => {
    const { code, err } = await ask(text)
    expect([code, err]).toEqual([2, expect.stringMatching(/not clear: it has "[a-z_]+" twice$/)])
  })

  it.each([
    hook('"tool_name": "Write", "tool_input": {"file_path": "src/a.ts", "notebook_path": "/etc/passwd"}'),
    hook('"tool_name": "NotebookEdit", "tool_input": {"notebook_path": "src/a.ts", "file_path": "x"}'),
    hook('"tool_name": "Read", "tool_input": {"file_path": "src/a.ts", "path": ".env"}'),
    hook('"tool_name": "MultiEdit", "tool_input": {"file_path": "src/a.ts", "edits": [{"file_path": "x"}]}'),
  ])('more than one path: %s', async (text) => {
    const { code, err } = await ask(text)
    expect([code, err]).toEqual([2, expect.stringContaining('it names more than one path')])
  })

  it('a nest of lists that is too deep to be read', async () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`
    expect(
      (await ask(hook(`"tool_name": "Write", "tool_input": {"file_path": "src/a.ts", "x": ${deep}}`))).code,
    ).toBe(2)
  })
})

describe('what is clear is judged', () => {
  it.each([
    hook(
      '"tool_name": "Write", "tool_input": {"file_path": "src/a.ts", "content": "{\\"a\\": 1, \\"a\\": \\"\\\\\\"\\"}"}',
    ),
    hook(
      `"tool_name": "MultiEdit", "tool_input": {"file_path": "src/a.ts", "edits": [{"old_string": "a", "new_string": "b"}, {"old_string": "b", "new_string": "c"}]}`,
    ),
    hook('"tool_name": "Grep", "tool_input": {"pattern": "\\"path\\":", "path": "src", "glob": "*.ts"}'),
  ])('%s', async (text) => {
    expect(await ask(text)).toMatchObject({ code: 0, out: '{}' })
  })

  it('a large file in little time', async () => {
    const content = 'a "quoted" line: \\ and more\n'.repeat(200_000)
    const request = {
      hook_event_name: 'PreToolUse',
      tool_name: 'Write',
      tool_input: { file_path: 'src/a.ts', content },
    }
    expect((await ask(JSON.stringify(request))).code).toBe(0)
  })
})
