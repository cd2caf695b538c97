import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { parseJson } from '../text/parse-json.js'
import { sandboxCode } from './confinement.js'

/** Returns the user's own folder for what was tried, which is created; undefined if nobody can keep anything there, or others could write in it. */
export function cacheFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const configured = env['XDG_CACHE_HOME']
  const base = configured !== undefined && isAbsolute(configured) ? configured : join(homedir(), '.cache')
  const folder = join(base, 'autotest', 'sandbox')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return isOwn(folder, 'folder') ? folder : undefined
  } catch {
    // It is tried each time then.
    return undefined
  }
}

function isOwn(path: string, kind: 'file' | 'folder'): boolean {
  const stats = lstatSync(path)
  const isKind = kind === 'file' ? stats.isFile() && stats.nlink === 1 : stats.isDirectory()
  return isKind && stats.uid === process.getuid?.() && (stats.mode & 0o022) === 0
}

/** What a kernel says of this process that decides what it may do. */
const rights = /^(?:Uid|Gid|Groups|CapEff|CapBnd|NoNewPrivs|Seccomp|Seccomp_filters):.*$/gm

/**
 * Returns what a result holds for: this start of the machine, these namespaces and this user, a sandbox's program (path, time, version) and our own code. Undefined where
 * the kernel does not say it.
 *
 * @param command as it is started, without what differs each time
 */
export async function triedKey(command: readonly string[]): Promise<string | undefined> {
  const [program = ''] = command
  try {
    const { mtimeMs, size, ino, mode, uid } = statSync(program)
    const facts = [
      readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'),
      ...['user', 'mnt', 'pid', 'net'].map((name) => readlinkSync(`/proc/self/ns/${name}`)),
      securityProfile(),
    ]
    const user = readFileSync('/proc/self/status', 'utf8').match(rights)
    const hash = createHash('sha256')
    hash.update(JSON.stringify([facts, user, command, mtimeMs, size, ino, mode, uid, await version(program)]))
    for (const name of readdirSync(sandboxCode()).sort())
      if (name.endsWith('.py')) hash.update(readFileSync(join(sandboxCode(), name)))
    return hash.digest('hex')
  } catch {
    return undefined
  }
}

/** Returns the profile of AppArmor or SELinux; empty where the kernel has neither. */
function securityProfile(): string {
  try {
    return readFileSync('/proc/self/attr/current', 'utf8')
  } catch {
    return ''
  }
}

/** Returns what a program says of its version, in one line. */
function version(program: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, ['--version'], { timeout: 5000 }, (error, stdout) =>
      resolve(error === null ? stdout.trim() : ''),
    )
  })
}

/** Returns what was kept; undefined if there is nothing that only this user can have written. */
export function readTried(folder: string | undefined, key: string): unknown {
  if (folder === undefined) return undefined
  const file = join(folder, `${key}.json`)
  try {
    return isOwn(file, 'file') ? parseJson(readFileSync(file, 'utf8')) : undefined
  } catch {
    return undefined
  }
}

/** Keeps a result; nothing is lost but time where that is impossible. */
export function writeTried(folder: string | undefined, key: string, found: unknown): void {
  if (folder === undefined) return
  const file = join(folder, `${key}.json`)
  try {
    writeFileSync(`${file}.${process.pid}`, JSON.stringify(found), { mode: 0o600, flag: 'wx' })
    renameSync(`${file}.${process.pid}`, file)
  } catch {
    // It is tried each time then.
  }
}
