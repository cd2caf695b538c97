import { join } from 'node:path'
import { builtModulePath } from '../platform/built-module.js'
import { defaultLimits, type SandboxAccess, type SandboxPython } from './sandbox-access.js'

/** Where the Python is that starts a command with fewer rights; it must be readable in every sandbox. */
export const sandboxCode = (): string => builtModulePath('python/autotest_sandbox')

/** Parts of the system that every interpreter needs; those that are absent are left out. */
const systemFolders = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/etc/alternatives',
  '/etc/ld.so.cache',
]

/** Who takes the rights away: the program that runs inside of something that has done so, or the kernel, asked by it. */
export type ConfinementKind = 'bubblewrap' | 'namespaces' | 'landlock' | 'sandbox-exec' | 'none'

/** Returns what must be readable for a command to be started, and what it may read. */
export function readableFolders(
  python: SandboxPython,
  { readable, workspace }: SandboxAccess,
): readonly string[] {
  return [...systemFolders, ...python.folders, sandboxCode(), ...readable, workspace]
}

/** Returns the command line by which Python takes rights and limits, and runs a command under its eyes. */
export function confinedCommand(
  python: SandboxPython,
  kind: ConfinementKind,
  command: readonly string[],
  access: SandboxAccess,
): readonly string[] {
  const { workspace, cwd = workspace, writable = [workspace], placed = [], temporary } = access
  const { limits = defaultLimits } = access
  const files =
    kind === 'namespaces' || kind === 'landlock'
      ? {
          readable: readableFolders(python, access),
          writable: kind === 'landlock' ? [...writable, temporary] : writable,
          placed: placed.flatMap(({ folder, at, readOnly }) => [folder, at, readOnly === true ? 'ro' : 'rw']),
        }
      : { readable: [], writable: [], placed: [] }
  const { memoryBytes, fileBytes, processes } = limits
  return [
    ...[python.executable, '-I', '-S', '-B', join(sandboxCode(), '__main__.py')],
    ...[kind, cwd, ...[memoryBytes, fileBytes, processes].map(String)],
    ...[files.readable, files.writable, files.placed].flatMap((list) => [String(list.length), ...list]),
    ...command,
  ]
}
