import { posix } from 'node:path'
import { z } from 'zod'
import type { RefusedFile } from '../../roles/returned-files.js'
import { isWrittenBy, type Role } from '../../roles/role.js'
import { startedFile } from '../../roles/started-files.js'
import { HostError, type HostFunction } from '../../subagent/script/run-tool-script.js'
import { isOutside, shown } from '../../testgen/host-functions.js'
import { testRun } from '../../testgen/python/worker-results.js'
import { readWorkspaceFile, writeWorkspaceFile } from '../../testgen/workspace/workspace-files.js'
import type { PythonSession } from '../tests/python-sessions.js'

export interface TaskHost {
  readonly functions: Readonly<Record<string, HostFunction>>
  /** Texts of the files that were written, by path. */
  readonly written: ReadonlyMap<string, string>
  /** What the role tried to write and may not, each once. */
  readonly refused: readonly RefusedFile[]
}

const runSeconds = 60
const timeoutMs = 90_000
const checked = z.looseObject({ valid: z.boolean() })

/**
 * Creates what the tool scripts of a role may call. What it may not write is refused here with a reason, by the sandbox, and once more when files are taken
 * over.
 *
 * @param files of the project, relative to it
 * @param testFiles those that are run where no file is named
 */
export function createTaskHost(
  { worker }: PythonSession,
  role: Role,
  files: readonly string[],
  testFiles: readonly string[],
): TaskHost {
  const written = new Map<string, string>()
  const refused = new Map<string, RefusedFile>()
  const refuse = (path: string, reason: string): { written: false; reason: string } => {
    refused.set(path, { path, reason })
    return { written: false, reason }
  }
  const text = (args: Readonly<Record<string, unknown>>, name: string): string => {
    const value = args[name]
    if (typeof value !== 'string') throw new HostError('ValueError', `${name} must be text`)
    return value
  }
  const inside = (path: string): string => {
    if (isOutside(path)) throw new HostError('PermissionError', `${path} is outside of the project`)
    return posix.normalize(path)
  }
  return {
    written,
    get refused() {
      return [...refused.values()]
    },
    functions: {
      list_files: () => [...new Set([...files, ...written.keys()])].sort(),
      read_file: async (args) => (await readWorkspaceFile(worker, inside(text(args, 'path')))) ?? null,
      check_python: (args) => worker.call('check', { text: text(args, 'text') }, checked, timeoutMs),
      async write_file(args) {
        const path = text(args, 'path')
        if (isOutside(path) || !isWrittenBy(role, posix.normalize(path)))
          return refuse(path, `${role.name} may write ${role.writes.join(', ') || 'nothing'}, not ${path}`)
        const started = startedFile(posix.normalize(path), undefined)
        if (started !== undefined)
          return refuse(path, `${path} is loaded by ${started.by}: a person writes it`)
        const content = text(args, 'text')
        await writeWorkspaceFile(worker, posix.normalize(path), content)
        written.set(posix.normalize(path), content)
        return { written: true, reason: null }
      },
      async run_pytest(args) {
        const { path } = args
        const paths = typeof path === 'string' ? [inside(path)] : testFiles
        return shown(await worker.call('run_tests', { paths, seconds: runSeconds }, testRun, timeoutMs))
      },
    },
  }
}
