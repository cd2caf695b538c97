import { existsSync, statSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { isErrno } from '../../edit/is-errno.js'
import { messageOf } from '../../errors.js'
import { oneLine } from '../../report/format-text.js'
import { quoteShellArgument } from '../../text/shell-argument.js'
import { type Check, type Finding, note, ok, problem, projectCheck } from './check.js'

/** Less is little for a run database, reports and copies of a database. */
const lowSpaceBytes = 1e9
/** Less is not enough for a run. */
const minimumBytes = 50e6

const reports = projectCheck('reports folder', (root) => checkWritable(join(root, 'reports'), root))

const own = projectCheck('.autotest folder', (root) => checkWritable(join(root, '.autotest'), root))

const temporary: Check = {
  name: 'temp folder',
  async run() {
    const found = await checkWritable(tmpdir(), '/')
    return found.status === 'ok' ? ok(tmpdir()) : { ...found, fix: 'Set TMPDIR to a writable folder.' }
  },
}

const space: Check = {
  name: 'disk space',
  async run({ projectLocation, freeBytes }) {
    const { root } = await projectLocation()
    const folders = [root, tmpdir()].filter((folder) => existsSync(folder))
    const all = await Promise.all(
      folders.map(async (folder) => {
        const bytes = await freeBytes(folder)
        return bytes === undefined ? [] : [{ folder, bytes }]
      }),
    )
    const [least] = all.flat().sort((a, b) => a.bytes - b.bytes)
    if (least === undefined) return undefined
    const detail = `${formatBytes(least.bytes)} free in ${least.folder}`
    const fix = 'Free disk space. Old runs in reports/ and .autotest/ may be deleted.'
    if (least.bytes < minimumBytes) return problem(`${detail}: not enough for a run`, fix)
    return least.bytes < lowSpaceBytes ? note(detail, fix) : ok(detail)
  },
}

/** Checks by writing: permissions may allow it and a read-only or full disk refuse it. */
export async function checkWritable(folder: string, root: string): Promise<Finding> {
  const there = nearestExistingFolder(folder)
  const shown = displayed(folder, root)
  try {
    if (!(await stat(there)).isDirectory())
      return problem(
        `${there} is a file where a folder is needed`,
        `Move it away: mv ${quoteShellArgument(there)} ${quoteShellArgument(`${there}.old`)}`,
      )
    const probe = await mkdtemp(join(there, '.autotest-doctor-'))
    try {
      await writeFile(join(probe, 'probe'), 'probe')
    } finally {
      await rm(probe, { recursive: true, force: true })
    }
    return ok(there === folder ? shown : `${shown}: created when needed`)
  } catch (error) {
    return problem(`${shown} is not writable: ${oneLine(messageOf(error))}`, writePermissionFix(there, error))
  }
}

/** Returns the command that lets this user write where that was refused. */
export function writePermissionFix(folder: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EACCES' || code === 'EPERM')
    return isOwned(folder)
      ? `chmod u+rwx ${quoteShellArgument(folder)}`
      : `sudo chown -R ${quoteShellArgument(userName())} ${quoteShellArgument(folder)}`
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'Free disk space.'
  return `Make ${folder} writable, or work in a copy of the project.`
}

function isOwned(path: string): boolean {
  try {
    return statSync(path).uid === process.geteuid?.()
  } catch (error) {
    if (isErrno(error, 'EACCES', 'ENOENT')) return false
    throw error
  }
}

/** Returns the user's name; a container may run as a user without a name. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? '')
  }
}

function nearestExistingFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestExistingFolder(dirname(path))
}

/** Returns a path relative to the project if that is shorter. */
export function displayed(path: string, root: string): string {
  const short = relative(root, path)
  return short === '' || short.startsWith('..') || root === '/' ? resolve(path) : short
}

function formatBytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.floor(bytes / 1e6)} MB`
}

/** Checks of the machine. */
export const machineFolderChecks: readonly Check[] = [temporary, space]

/** Checks of the project. */
export const folderChecks: readonly Check[] = [reports, own]
