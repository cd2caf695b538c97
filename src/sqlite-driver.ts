import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { packageRoot } from './built-module.js'
import { AutotestError } from './errors.js'

const { napi, modules, node } = process.versions

/**
 * Version 13 of better-sqlite3 is built for Node-API 10; on a Node without, which every Node 20 is, it ends the process
 * with a fault of memory. Version 12 is the last for Node 20, and aborts the process on Node 24.19 and later while it
 * collects garbage.
 */
const isOlderNode = Number(napi) < 10

/** What compiles version 12 for an older Node; it does nothing where that is done or not needed. */
const installer = `${packageRoot}scripts/install-sqlite.js`

/** What `require` is given: the dependency, or where the installer put its older version. */
export const sqliteDriver = isOlderNode
  ? `${packageRoot}sqlite12/node-${modules}/node_modules/better-sqlite3`
  : 'better-sqlite3'

/** The program to run before SQLite can be loaded; nothing where it is installed. */
export function sqliteInstaller(): string | undefined {
  if (isOlderNode)
    return existsSync(`${sqliteDriver}/build/Release/better_sqlite3.node`) ? undefined : installer
  try {
    createRequire(import.meta.url).resolve(sqliteDriver)
    return undefined
  } catch {
    throw notInstalled()
  }
}

/** What to do about SQLite that is not there, or that cannot be loaded. */
export function notInstalled(reason?: string, cause?: unknown): AutotestError {
  if (reason === undefined && !isOlderNode) {
    return new AutotestError('installation_incomplete', 'better-sqlite3 is not installed', {
      hint: `It is an optional dependency, which --omit=optional leaves out, as does an installation on Node 20: install again with \`${again()}\``,
      cause,
    })
  }
  const hint = isOlderNode
    ? `Run \`node ${installer}\`, which compiles it (python3, make and g++ are needed), or use Node 22.14 or newer`
    : `Install again with \`${again()}\``
  return new AutotestError(
    'installation_incomplete',
    reason === undefined ? `SQLite is not compiled for Node ${node}` : `SQLite cannot be loaded: ${reason}`,
    { hint, cause },
  )
}

function again(): string {
  return packageRoot.includes('/.pnpm/') ? 'pnpm install --force' : 'npm install --force'
}
