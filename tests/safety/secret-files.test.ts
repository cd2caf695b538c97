import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { filesBelow } from '../../src/roles/files-below.js'
import { answerGuard } from '../../src/roles/guard.js'
import { defaultRoles } from '../../src/roles/role.js'

const root = mkdtempSync(join(tmpdir(), 'autotest-secrets-'))
const outside = mkdtempSync(join(tmpdir(), 'autotest-outside-'))
afterAll(() => {
  for (const folder of [root, outside]) rmSync(folder, { recursive: true })
})
const key = '-----BEGIN RSA PRIVATE KEY-----\nx\n'
for (const [path, text] of Object.entries({
  '.env': 'TOKEN=x',
  '.env.production': 'TOKEN=x',
  '.env.test': 'TOKEN=x',
  '.env.example': 'TOKEN=',
  '.git/config': '[remote "origin"]\n\turl = https://x:y@example.com/a\n',
  '.git/HEAD': 'ref: refs/heads/main\n',
  'certs/server.key': key,
  'certs/server.crt': '-----BEGIN CERTIFICATE-----\n',
  'src/a.py': 'x = 1\n',
  '.npmrc': '//registry/:_authToken=x',
  'deploy/id_ed25519': 'x',
})) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
symlinkSync(join(root, '.env'), join(root, 'src/settings.txt'))
writeFileSync(join(outside, 'private.txt'), 'x')
chmodSync(join(outside, 'private.txt'), 0o600)
writeFileSync(join(outside, 'public.txt'), 'x')
chmodSync(join(outside, 'public.txt'), 0o644)

const reads = async (role: string, tool: string, input: object, roles = defaultRoles): Promise<number> => {
  const request = { hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input, cwd: root }
  const options = { root, role, roles, guidelines: [], sandbox: undefined }
  return (await answerGuard(JSON.stringify(request), options)).code
}

it.each([
  ['Read', { file_path: '.env' }],
  ['Read', { file_path: join(root, '.env.production') }],
  ['Read', { file_path: './src/../.env' }],
  ['Read', { file_path: 'src/settings.txt' }],
  ['Read', { file_path: '.git/config' }],
  ['Read', { file_path: 'certs/server.key' }],
  ['Read', { file_path: '.npmrc' }],
  ['Read', { file_path: 'deploy/id_ed25519' }],
  ['Read', { file_path: join(homedir(), '.ssh/id_rsa') }],
  ['Read', { file_path: '~/.ssh/config' }],
  ['Read', { file_path: join(homedir(), '.aws/credentials') }],
  ['Read', { file_path: join(outside, 'private.txt') }],
  ['Read', { file_path: '/proc/self/environ' }],
  ['Read', { file_path: existsSync('/etc/shadow') ? '/etc/shadow' : '/proc/self/maps' }],
  ['NotebookRead', { notebook_path: '.env' }],
  ['Grep', { pattern: 'TOKEN', path: '.env' }],
  ['Grep', { pattern: 'TOKEN', glob: '.env*' }],
  ['Grep', { pattern: 'TOKEN', glob: '**/.ENV' }],
  ['Grep', { pattern: 'url', path: '.git' }],
  ['Grep', { pattern: 'BEGIN', path: 'certs' }],
  ['Grep', { pattern: 'BEGIN' }],
])('no role reads keys: %s %j', async (tool, input) => {
  for (const role of ['coder', 'test-writer', 'debugger'])
    expect([role, await reads(role, tool, input)]).toEqual([role, 2])
})

it.each([
  ['Read', { file_path: 'src/a.py' }],
  ['Read', { file_path: '.env.example' }],
  ['Read', { file_path: 'certs/server.crt' }],
  ['Read', { file_path: '.git/HEAD' }],
  ['Read', { file_path: '/etc/hosts' }],
  ['Read', { file_path: join(outside, 'public.txt') }],
  ['Read', { file_path: 'not-there.py' }],
  ['Grep', { pattern: 'x', path: 'src' }],
  ['Grep', { pattern: 'x', glob: '*.py' }],
  ['Grep', { pattern: 'x', glob: '!{certs,deploy}/**' }],
  ['Glob', { pattern: '**/*' }],
  ['LS', { path: root }],
])('what is none is read: %s %j', async (tool, input) => {
  expect(await reads('debugger', tool, input)).toBe(0)
})

it('a role reads what it says that it needs, and no other key', async () => {
  const roles = defaultRoles.map((role) => ({ ...role, reads: ['.env.test'] }))
  expect(await reads('coder', 'Read', { file_path: '.env.test' }, roles)).toBe(0)
  expect(await reads('coder', 'Read', { file_path: '.env' }, roles)).toBe(2)
})

it('a search that could not look at all files is denied, whatever its pattern', () => {
  const folder = mkdtempSync(join(tmpdir(), 'autotest-many-'))
  try {
    for (let at = 0; at < 30; at += 1) writeFileSync(join(folder, `${at}.txt`), '')
    expect(filesBelow(folder, 20).isWhole).toBe(false)
    expect(filesBelow(folder, 30)).toMatchObject({ isWhole: true, names: { length: 30 } })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('finds keys behind more than 20,000 files', async () => {
  const many = join(root, 'many')
  mkdirSync(many)
  try {
    for (let at = 0; at < 20_500; at += 1) writeFileSync(join(many, `${at}.txt`), '')
    expect(await reads('coder', 'Grep', { pattern: 'TOKEN', glob: '.env' })).toBe(2)
  } finally {
    rmSync(many, { recursive: true })
  }
})
