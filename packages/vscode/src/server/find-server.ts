import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Name of the package that has the server. */
const packageName = 'autotest-harness'

/** An installed server. */
export interface FoundServer {
  /** Its program, absolute. */
  readonly program: string
  readonly version: string
  /** Who named it: the setting, the project, or this extension. */
  readonly source: 'setting' | 'project' | 'extension'
}

export interface ServerPlaces {
  /** As in the settings; empty: none. */
  readonly setting: string
  /** Of the project, absolute. */
  readonly project: string
  /** Where this extension installs one, absolute. */
  readonly installed: string
}

/** Returns the server that is to be used; a message where the settings name one that is not there, undefined where there is none. */
export function findServer({ setting, project, installed }: ServerPlaces): FoundServer | string | undefined {
  if (setting !== '') {
    const named =
      setting.startsWith('/') || /^[A-Za-z]:[\\/]/.test(setting) ? setting : join(project, setting)
    const found = serverAt(named, 'setting')
    return found ?? `autotest.server.path: there is no server at ${named}`
  }
  return (
    serverAt(join(project, 'node_modules', packageName), 'project') ??
    // The project is autotest itself.
    (packageAt(project)?.name === packageName ? serverAt(project, 'project') : undefined) ??
    serverAt(join(installed, 'node_modules', packageName), 'extension')
  )
}

function serverAt(path: string, source: FoundServer['source']): FoundServer | undefined {
  const folder = /\.[cm]?js$/.test(path) ? join(path, '..', '..', '..') : path
  const program = folder === path ? join(path, 'dist', 'cli', 'main.js') : path
  if (!existsSync(program) || !statSync(program).isFile()) return undefined
  return { program, version: packageAt(folder)?.version ?? 'unknown', source }
}

function packageAt(folder: string): { readonly name?: string; readonly version?: string } | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  } catch {
    return undefined
  }
}
