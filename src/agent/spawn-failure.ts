import { statSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'

/** Where a program was searched for. */
interface SearchLocation {
  readonly cwd: string
  /** The value of `PATH` that was searched. */
  readonly path: string | undefined
}

/** Describes why the system did not start a program, and what to do. */
export function describeSpawnFailure(
  program: string,
  code: string | undefined,
  place: SearchLocation,
): string {
  if (code === 'ENOENT') return notFound(program)
  if (code !== 'EACCES') return `program ${program} cannot be started`
  // EACCES is also the result of a search that passed a folder of PATH which this user may not enter: it does
  // not show whether the program exists.
  const found = candidates(program, place).map(fileKindAt)
  if (found.includes('file'))
    return `program ${program} is not executable; chmod +x it, or put its interpreter first`
  if (found.includes('folder')) return `program ${program} is a folder; check agent.run`
  if (program.includes('/')) return `program ${program} is in a folder that this user cannot access`
  return notFound(program)
}

function notFound(program: string): string {
  return `program ${program} was not found; check agent.run and PATH`
}

/**
 * Returns the paths at which the system looks for a program. An empty part of `PATH` is the working folder.
 */
function candidates(program: string, { cwd, path = '' }: SearchLocation): string[] {
  if (program.includes('/')) return [resolve(cwd, program)]
  return path.split(delimiter).map((folder) => resolve(cwd, folder, program))
}

function fileKindAt(path: string): 'file' | 'folder' | 'nothing' {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file'
  } catch {
    return 'nothing'
  }
}
