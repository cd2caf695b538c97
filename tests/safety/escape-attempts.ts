import { execFile } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Sandbox, SandboxPython } from '../../src/sandbox/sandbox-access.js'

export interface Attempt {
  readonly attempt: string
  readonly promise: string
  readonly held: boolean
}

const code = resolve(import.meta.dirname, '../../dist/python/autotest_sandbox')

/**
 * Makes all attempts of the tests in a sandbox, or in none, as some user; throws where they cannot be made.
 *
 * @param sandbox undefined: nothing restricts them
 */
export async function makeAttempts(
  sandbox: Sandbox | undefined,
  python: SandboxPython,
  user: number | undefined,
): Promise<readonly Attempt[]> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'autotest-attempts-')))
  const hidden = join(
    user === undefined ? homedir() : '/var/lib',
    `autotest-decoys-${process.pid}-${user ?? 0}`,
  )
  try {
    const [workspace, readable, temporary, outside] = ['workspace', 'readable', 'tmp', 'outside'].map(
      (name) => join(root, name),
    ) as [string, string, string, string]
    for (const path of [root, workspace, readable, temporary, outside, hidden]) {
      mkdirSync(path, { recursive: true })
      chmodSync(path, 0o755)
      if (user !== undefined) chownSync(path, user, user)
    }
    const script = [
      python.executable,
      '-I',
      '-S',
      '-B',
      resolve(import.meta.dirname, 'more_attempts.py'),
      code,
    ]
    const access = { workspace, temporary, readable: [readable, import.meta.dirname] }
    const command = sandbox?.wrap(script, access) ?? script
    const wanted = { command, outside: [outside, hidden], workspace, readable }
    const args = ['-I', '-S', '-B', join(code, 'decoys.py'), JSON.stringify(wanted)]
    const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((done) =>
      execFile(
        python.executable,
        args,
        {
          cwd: workspace,
          timeout: 30_000,
          env: { PATH: '/usr/bin:/bin' },
          ...(user === undefined ? {} : { uid: user, gid: user }),
        },
        (_error, out, err) => done({ stdout: out, stderr: err }),
      ),
    )
    if (stdout === '') throw new Error(`no attempt could be made: ${stderr}`)
    return (JSON.parse(stdout) as { attempts: readonly Attempt[] }).attempts
  } finally {
    for (const path of [root, hidden]) rmSync(path, { recursive: true, force: true })
  }
}
