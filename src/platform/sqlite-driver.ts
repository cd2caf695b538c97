import { existsSync } from 'node:fs'
import { AutotestError } from '../errors.js'
import { builtModulePath, packageRoot } from './built-module.js'

const { napi, modules, node } = process.versions

/**
 * Version 13 of better-sqlite3 is built for Node-API 10; on a Node without it, such as every Node 20, it
 * crashes the process. Version 12 is the last for Node 20, and aborts the process on Node 24.19 and later
 * during garbage collection.
 */
const isOlderNode = Number(napi) < 10

/** The script that compiles version 12 for an older Node; it does nothing if that is done or not needed. */
const installer = `${packageRoot}scripts/install-sqlite.js`

/** The driver's folder: the build that the installer made for this Node, or the package's own. */
export const sqliteDriver = isOlderNode
  ? `${packageRoot}sqlite12/node-${modules}/node_modules/better-sqlite3`
  : builtModulePath('sqlite')

/** Returns the program to run before SQLite can be loaded; undefined if it can be loaded already. */
export function sqliteInstaller(): string | undefined {
  const isReady = !isOlderNode || existsSync(`${sqliteDriver}/build/Release/better_sqlite3.node`)
  return isReady ? undefined : installer
}

/** Returns the error for SQLite that was not compiled, or that cannot be loaded. */
export function sqliteProblem(reason: string, cause?: unknown): AutotestError {
  const hint = isOlderNode
    ? `Run \`node "${installer}"\`, which needs python3, make and g++, or use Node 22.14 or newer`
    : 'Install autotest again; it brings SQLite for Linux, macOS and Windows on x64 and arm64'
  return new AutotestError('installation_incomplete', `SQLite cannot be loaded by Node ${node}: ${reason}`, {
    hint,
    cause,
  })
}
