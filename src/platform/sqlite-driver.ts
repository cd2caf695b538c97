import { existsSync } from 'node:fs'
import { AutotestError } from '../errors.js'
import { builtModulePath, packageRoot } from './built-module.js'

const { napi, modules, node } = process.versions

/**
 * Version 13 of better-sqlite3 is built for Node-API 10; on a Node without, which every Node 20 is, it ends the process
 * with a fault of memory. Version 12 is the last for Node 20, and aborts the process on Node 24.19 and later while it
 * collects garbage.
 */
const isOlderNode = Number(napi) < 10

/** The script that compiles version 12 for an older Node; it does nothing where that is done or not needed. */
const installer = `${packageRoot}scripts/install-sqlite.js`

/** The driver's folder: what the installer made for this very Node, or what the package brings. */
export const sqliteDriver = isOlderNode
  ? `${packageRoot}sqlite12/node-${modules}/node_modules/better-sqlite3`
  : builtModulePath('sqlite')

/** The program to run before SQLite can be loaded; nothing where it is there. */
export function sqliteInstaller(): string | undefined {
  const isReady = !isOlderNode || existsSync(`${sqliteDriver}/build/Release/better_sqlite3.node`)
  return isReady ? undefined : installer
}

/** SQLite that was not compiled, or that cannot be loaded. */
export function sqliteProblem(reason: string, cause?: unknown): AutotestError {
  const hint = isOlderNode
    ? `Run \`node "${installer}"\`, which needs python3, make and g++, or use Node 22.14 or newer`
    : 'Install autotest again; it brings SQLite for Linux, macOS and Windows on x64 and arm64'
  return new AutotestError('installation_incomplete', `SQLite cannot be loaded by Node ${node}: ${reason}`, {
    hint,
    cause,
  })
}
