import { spawn } from 'node:child_process'
import { existsSync, lstatSync } from 'node:fs'
import { mkdir, rm, rmdir } from 'node:fs/promises'
import { constants } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { builtModulePath } from '../../platform/built-module.js'
import { makeTemporaryFolder } from '../../platform/temporary-folder.js'
import { copyFolders, type FileSet, readFileSet } from '../../roles/copied-files.js'
import { type ReturnedFiles, returnedFiles } from '../../roles/returned-files.js'
import { type Role, writableFolders } from '../../roles/role.js'
import { chooseSandbox } from '../../sandbox/sandbox.js'
import type { PlacedFolder, Sandbox, SandboxAccess } from '../../sandbox/sandbox-access.js'
import { findPython } from '../../testgen/python/find-python.js'
import { copyFiles } from '../../testgen/workspace/workspace.js'
import { projectFiles, skippedFolders } from '../project/project-files.js'
import { programFolders, shellEnvironment } from './shell-access.js'

export interface RoleCommand {
  readonly role: Role
  /** Of the project, absolute. */
  readonly root: string
  /** Where the command starts, absolute, in the project. */
  readonly cwd: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Absent: the strongest of this machine. */
  readonly sandbox?: Sandbox | undefined
  readonly signal: AbortSignal
}

export interface RoleCommandResult extends ReturnedFiles {
  /** Of the command; 128 and the number of the signal that ended it. */
  readonly exitCode: number
  /** Where what the command wrote still lies, absolute; `dispose` removes it. */
  readonly folder: string
  dispose(): Promise<void>
}

/** Takes the rights that the environment names, and becomes the command. */
const restricted = `
import os, sys
sys.path.insert(0, sys.argv[1])
from autotest_worker import landlock
landlock.restrict_as_told()
os.execvp(sys.argv[2], sys.argv[2:])
`

/**
 * Runs a command of a role: it sees the project, and what it writes lands in a copy of the folders that are its own. Returns what of that may come back;
 * nothing of the project has changed yet. Throws `sandbox_missing`, and `python_missing` where the sandbox needs it.
 */
export async function runRoleCommand(request: RoleCommand): Promise<RoleCommandResult> {
  const { role, root } = request
  const folder = makeTemporaryFolder('autotest-role-')
  const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    const places = writableFolders(role)
    const { exitCode, before, copy } = await runInCopy(request, places, folder)
    const after = await readFileSet(copy, places, skippedFolders)
    return {
      exitCode,
      folder: copy,
      dispose,
      ...(await returnedFiles(role, { root, folder: copy, before, after })),
    }
  } catch (error) {
    await dispose()
    throw error
  }
}

interface CopiedRun {
  readonly exitCode: number
  readonly before: FileSet
  /** Absolute path of the copy. */
  readonly copy: string
}

async function runInCopy(
  request: RoleCommand,
  places: readonly string[],
  folder: string,
): Promise<CopiedRun> {
  const { root, cwd, command, env, signal } = request
  const sandbox = request.sandbox ?? (await chooseSandbox(false, 'python3'))
  const [copy, temporary] = [join(folder, 'files'), join(folder, 'tmp')]
  for (const path of [copy, temporary]) await mkdir(path)
  const readable = programFolders(env['PATH'])
  const base = shellEnvironment(env)
  if (sandbox.placesFolders) {
    const before = await copyFolders(root, places, copy, skippedFolders)
    const made = await makeFolders(root, places)
    try {
      const placed = [
        ...places.map((place) => ({ folder: join(copy, place), at: join(root, place) })),
        ...(places.includes('.') ? await placeSkipped(root, copy) : []),
      ]
      const access = { workspace: root, cwd, writable: [], placed, temporary, readable }
      const exitCode = await runCommand(sandbox.wrap(command, access), root, base, signal)
      return { exitCode, before, copy }
    } finally {
      for (const path of made.reverse()) await rmdir(path).catch(() => undefined)
    }
  }
  // Nothing can be put in the place of a folder: the command works in a copy of the whole project.
  const { executable, folders } = await findPython({ root, env })
  await copyFiles(root, await projectFiles(root), copy)
  const before = await copyFolders(root, places, copy, skippedFolders)
  const code = builtModulePath('python')
  const access: SandboxAccess = {
    workspace: copy,
    writable: places.map((place) => join(copy, place)),
    temporary,
    // A shell reads it at its start, and complains where it cannot.
    readable: [code, root, '/etc/bash.bashrc', ...folders, ...readable],
  }
  const wrapped = sandbox.name === 'sandbox-exec' ? command : [executable, '-c', restricted, code, ...command]
  const start = join(copy, relative(root, cwd))
  const variables = { ...base, ...sandbox.environment(access) }
  const begin = existsSync(start) ? start : copy
  return { exitCode: await runCommand(sandbox.wrap(wrapped, access), begin, variables, signal), before, copy }
}

/** Creates folders that are not there, as nothing can be put in their place else; returns those made, outermost first. */
async function makeFolders(root: string, places: readonly string[]): Promise<string[]> {
  const made: string[] = []
  for (const place of places) {
    const missing: string[] = []
    for (let path = join(root, place); !existsSync(path); path = dirname(path)) missing.unshift(path)
    await mkdir(join(root, place), { recursive: true })
    made.push(...missing)
  }
  return made
}

/** Returns folders of a project that no copy has, such as its repository, to be read in a copy of all of it. */
async function placeSkipped(root: string, copy: string): Promise<readonly PlacedFolder[]> {
  const names = [...skippedFolders].filter((name) =>
    lstatSync(join(root, name), { throwIfNoEntry: false })?.isDirectory(),
  )
  for (const name of names) await mkdir(join(copy, name), { recursive: true })
  return names.map((name) => ({ folder: join(root, name), at: join(root, name), readOnly: true }))
}

/** Runs a command with the terminal of this process; returns its exit code. */
function runCommand(
  [program = '', ...args]: readonly string[],
  cwd: string,
  env: Record<string, string>,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: 'inherit' })
    const end = (): void => {
      child.kill('SIGKILL')
    }
    signal.addEventListener('abort', end, { once: true })
    child.on('error', reject)
    child.on('close', (code, by) => {
      signal.removeEventListener('abort', end)
      resolve(code ?? 128 + (by === null ? 0 : constants.signals[by]))
    })
  })
}
