import { execFile } from 'node:child_process'
import { mkdirSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { makeTemporaryFolder } from '../platform/temporary-folder.js'
import { lastLine } from '../text/last-line.js'
import { parseJson } from '../text/parse-json.js'
import { sandboxCode } from './confinement.js'
import type { Sandbox, SandboxAccess, SandboxPython } from './sandbox-access.js'
import { cacheFolder, readTried, triedKey, writeTried } from './tried-cache.js'

/** Where a sandbox is tried, and by whom. */
export interface SandboxHost {
  readonly python: SandboxPython
  readonly env: Readonly<Record<string, string | undefined>>
}

/** What came of every attempt to get out of a sandbox. */
const escapes = z.object({
  attempts: z
    .array(z.object({ attempt: z.string(), promise: z.string(), held: z.boolean() }))
    .min(1)
    .readonly(),
  /** Of the program, as it says; absent if the sandbox is none. */
  version: z.string().optional(),
})
export type Escapes = z.output<typeof escapes>

const timeoutMs = 20_000

/**
 * Tries to get out of a sandbox, as the present user, in ways that do no harm where they succeed; returns what came of each, or in words why nothing could be started
 * in it. What is known of this machine since it was started is not tried again.
 */
export async function attemptEscape(
  sandbox: Sandbox,
  { python, env }: SandboxHost,
): Promise<Escapes | string> {
  const root = realpathSync(makeTemporaryFolder('autotest-attempts-'))
  const folder = cacheFolder(env)
  try {
    const command = attemptsIn(sandbox, python, root)
    const key = await triedKey(command.map((each) => each.replaceAll(root, '')))
    const known = key === undefined ? undefined : escapes.safeParse(readTried(folder, key))
    if (known?.success === true) return known.data
    // Hidden is not the same as protected: one decoy lies where no sandbox puts an empty folder.
    const outside = [
      join(root, 'outside'),
      ...(folder === undefined ? [] : [join(folder, `decoy-${process.pid}`)]),
    ]
    try {
      for (const path of outside) mkdirSync(path, { recursive: true, mode: 0o700 })
      const found = await run(python, { command, outside, root })
      if (typeof found === 'string') return found
      if (key !== undefined) writeTried(folder, key, found)
      return found
    } finally {
      for (const path of outside) await rm(path, { recursive: true, force: true })
    }
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/** Returns the command that makes the attempts within a sandbox. */
function attemptsIn(sandbox: Sandbox, python: SandboxPython, root: string): readonly string[] {
  const [workspace, readable, temporary] = [
    join(root, 'workspace'),
    join(root, 'readable'),
    join(root, 'tmp'),
  ]
  for (const path of [workspace, readable, temporary]) mkdirSync(path, { recursive: true })
  const access: SandboxAccess = { workspace, temporary, readable: [readable] }
  return sandbox.wrap([python.executable, '-I', '-S', '-B', join(sandboxCode(), 'attempts.py')], access)
}

interface Decoys {
  readonly command: readonly string[]
  /** Folders that nothing in the sandbox may change. */
  readonly outside: readonly string[]
  readonly root: string
}

/** Lays out decoys, makes the attempts, and looks at the decoys; returns what came of each, or in words why nothing did. */
function run(python: SandboxPython, { command, outside, root }: Decoys): Promise<Escapes | string> {
  const wanted = { command, outside, workspace: join(root, 'workspace'), readable: join(root, 'readable') }
  const args = ['-I', '-S', '-B', join(sandboxCode(), 'decoys.py'), JSON.stringify(wanted)]
  const options = { timeout: timeoutMs, env: { PATH: '/usr/bin:/bin' }, cwd: wanted.workspace }
  return new Promise((resolve) => {
    execFile(python.executable, args, options, (error, stdout, stderr) => {
      const found = escapes.safeParse(parseJson(stdout))
      if (found.success) resolve(found.data)
      else resolve(lastLine(stderr) || (error === null ? 'nothing starts in it' : error.message))
    })
  })
}
