import { relative } from 'node:path'

/** A path as a person would type it: relative to the working folder where that is shorter. */
export function displayPath(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short !== '' && short.length < path.length ? short : path
}
