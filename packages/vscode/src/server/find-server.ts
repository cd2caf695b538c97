import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/** Name of the package that has the server: a program `autotest` of another package is not ours. */
const packageName = 'autotest-harness'

/** How to get a server. The package is in no registry: that name there is not ours. */
export const howToGetServer = [
  'npm ci && npm pack   # in a clone of autotest',
  `npm install --save-dev PATH/${packageName}-0.1.0.tgz   # in the project`,
]

/** An installed server. */
export interface FoundServer {
  /** Its program, absolute. */
  readonly program: string
  readonly version: string
  readonly source: 'setting' | 'project' | 'PATH'
}

export interface ServerPlaces {
  /** As in the settings; empty: none. */
  readonly setting: string
  /** Of the project, absolute. */
  readonly project: string
  /** The folders of programs, as in the environment. */
  readonly path: string
}

/** Returns the server to be used; a message if the settings name one that is not there, undefined if none is found. */
export function findServer({ setting, project, path }: ServerPlaces): FoundServer | string | undefined {
  if (setting !== '') {
    const named =
      setting.startsWith('/') || /^[A-Za-z]:[\\/]/.test(setting) ? setting : join(project, setting)
    const found = serverAt(named, 'setting')
    return found ?? `autotest.server.path: there is no server at ${named}`
  }
  for (const folder of foldersFrom(project)) {
    const found = ownServerAt(join(folder, 'node_modules', packageName), 'project')
    if (found !== undefined) return found
  }
  // The project is autotest itself.
  return ownServerAt(project, 'project') ?? serverOnPath(path)
}

/** Returns a folder and those above it: packages of a workspace are installed at its root. */
function foldersFrom(folder: string): string[] {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...foldersFrom(above)]
}

function serverOnPath(path: string): FoundServer | undefined {
  for (const folder of path.split(delimiter).filter((each) => each !== '')) {
    // A global installation beside its scripts, as on Windows, or a link to the program.
    const found = ownServerAt(join(folder, 'node_modules', packageName), 'PATH') ?? linkedServer(folder)
    if (found !== undefined) return found
  }
  return undefined
}

function linkedServer(folder: string): FoundServer | undefined {
  const link = join(folder, 'autotest')
  if (!existsSync(link)) return undefined
  const program = realpathSync(link)
  return program.endsWith(join('dist', 'cli', 'main.js'))
    ? ownServerAt(join(program, '..', '..', '..'), 'PATH')
    : undefined
}

function ownServerAt(folder: string, source: FoundServer['source']): FoundServer | undefined {
  return packageAt(folder)?.name === packageName ? serverAt(folder, source) : undefined
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
