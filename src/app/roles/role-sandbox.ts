import { existsSync, lstatSync } from 'node:fs'
import { mkdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { AutotestError, messageOf } from '../../errors.js'
import { makeTemporaryFolder } from '../../platform/temporary-folder.js'
import { copyFolders, type FileSet, readFileSet } from '../../roles/copied-files.js'
import { skippedFolders } from '../../roles/installed-folders.js'
import { type ReturnedFiles, returnedFiles } from '../../roles/returned-files.js'
import { type Role, writableFolders } from '../../roles/role.js'
import { hiddenFiles } from '../../roles/secret-files.js'
import { type CommandEnd, type CommandStreams, runSandboxed } from '../../sandbox/run-sandboxed.js'
import { chooseSandbox } from '../../sandbox/sandbox.js'
import type { PlacedFolder, Sandbox, SandboxAccess } from '../../sandbox/sandbox-access.js'
import { copyFiles } from '../../testgen/workspace/workspace.js'
import { findPython } from '../project/find-python.js'
import { projectFiles } from '../project/project-files.js'
import { hiddenText, maskFiles, partsWithout } from './hidden-from-role.js'
import { shadowedNames } from './shadowed-names.js'
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
  /** How long it may take, in milliseconds. */
  readonly timeoutMs: number
  /** What it reads, and where it writes. */
  readonly streams: CommandStreams
  /** Called before anything runs, with what holds it. */
  readonly onSandbox?: ((sandbox: Sandbox) => void) | undefined
  /** Called with what was not done as somebody may expect, in words. */
  readonly onNote?: ((text: string) => void) | undefined
  readonly signal: AbortSignal
  /** Interpreter as configured; absent: it is searched for. */
  readonly python?: string | undefined
}

export interface RoleCommandResult extends ReturnedFiles, CommandEnd {
  /** Where what the command wrote still lies, absolute; `dispose` removes it. */
  readonly folder: string
  dispose(): Promise<void>
}

/**
 * Runs a command of a role: it sees the project, and what it writes lands in a copy of the folders that are its own. Returns what of that may come back;
 * nothing of the project has changed yet. Throws `sandbox_missing`, and `python_missing` where the sandbox needs it.
 */
export async function runRoleCommand(request: RoleCommand): Promise<RoleCommandResult> {
  const { role, root, env } = request
  const folder = makeTemporaryFolder('autotest-role-')
  const dispose = (): Promise<void> => rm(folder, { recursive: true, force: true })
  try {
    const places = writableFolders(role)
    const python = await findPython({ root, configured: request.python, env })
    for (const text of python.passedOver) request.onNote?.(text)
    const sandbox = request.sandbox ?? (await chooseSandbox(false, { python, env }))
    request.onSandbox?.(sandbox)
    const { end, before, copy } = await runInCopy(request, sandbox, places, folder)
    const after = await readFileSet(copy, places, skippedFolders)
    const findShadowed = shadowedNames({ python: request.python, env: request.env })
    return {
      ...end,
      folder: copy,
      dispose,
      ...(await returnedFiles(role, { root, folder: copy, before, after, findShadowed })),
    }
  } catch (error) {
    await dispose()
    throw error
  }
}

interface CopiedRun {
  readonly end: CommandEnd
  readonly before: FileSet
  /** Absolute path of the copy. */
  readonly copy: string
}

async function runInCopy(
  { role, root, cwd, command, env, onNote, ...limits }: RoleCommand,
  sandbox: Sandbox,
  places: readonly string[],
  folder: string,
): Promise<CopiedRun> {
  const [copy, temporary] = [join(folder, 'files'), join(folder, 'tmp')]
  for (const path of [copy, temporary]) await mkdir(path)
  const readable = programFolders(env['PATH'])
  const found = hiddenFiles(role, root)
  const text = await hiddenText(role.name, root, found)
  if (text !== undefined) onNote?.(text)
  const hidden = new Set(found.map(({ path }) => path))
  const copyOwn = async (): Promise<FileSet> => {
    const copied = await copyFolders(root, places, copy, skippedFolders, hidden)
    for (const [path, file] of copied)
      if (file.kind === 'other') onNote?.(`not in the sandbox: ${path} is ${file.what}`)
    return new Map([...copied].filter(([, { kind }]) => kind !== 'other'))
  }
  const run = (access: SandboxAccess): Promise<CommandEnd> =>
    runSandboxed({ sandbox, command, access, env: shellEnvironment(env) }, limits)
  if (sandbox.placesFolders) {
    const before = await copyOwn()
    const masks = await maskFiles(
      root,
      found.map(({ path }) => path).filter((path) => !isCopied(places, path)),
      folder,
    )
    const made = await makeFolders(root, places)
    try {
      const placed = [
        ...places.map((place) => ({ folder: join(copy, place), at: join(root, place) })),
        ...(places.includes('.') ? await placeSkipped(root, copy) : []),
        ...masks,
      ]
      const end = await run({ workspace: root, cwd, writable: [], placed, temporary, readable })
      return { end, before, copy }
    } finally {
      for (const path of made.reverse()) await rmdir(path).catch(() => undefined)
    }
  }
  // Nothing can be put in the place of a folder: the command works in a copy of the whole project.
  await copyFiles(
    root,
    (await projectFiles(root)).filter((path) => !hidden.has(path)),
    copy,
  )
  const before = await copyOwn()
  const start = join(copy, relative(root, cwd))
  const end = await run({
    workspace: copy,
    cwd: existsSync(start) ? start : copy,
    writable: places.map((place) => join(copy, place)),
    temporary,
    // A shell reads it at its start, and complains where it cannot.
    readable: ['/etc/bash.bashrc', ...partsWithout(root, hidden), ...readable],
  })
  return { end, before, copy }
}

/** Reports whether a file would lie in the copy of a role's folders, which stands in place of them. */
function isCopied(places: readonly string[], path: string): boolean {
  const [first = ''] = path.split('/')
  return places.some((place) => (place === '.' ? !skippedFolders.has(first) : path.startsWith(`${place}/`)))
}

/** Creates folders that are not there, as nothing can be put in their place else; returns those made, outermost first. */
async function makeFolders(root: string, places: readonly string[]): Promise<string[]> {
  const made: string[] = []
  for (const place of places) {
    const missing: string[] = []
    for (let path = join(root, place); !existsSync(path); path = dirname(path)) missing.unshift(path)
    try {
      await mkdir(join(root, place), { recursive: true })
    } catch (cause) {
      throw new AutotestError(
        'sandbox_missing',
        `${join(root, place)} is not there, and cannot be created: ${messageOf(cause)}`,
        {
          cause,
          hint: 'It is a folder of the role, in whose place a copy is put: create it, or let the project be written to.',
        },
      )
    }
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
