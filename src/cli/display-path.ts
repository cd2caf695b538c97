import { relative } from 'node:path'

/** Returns a path as a user would type it: relative to the working folder if that is shorter. */
export function displayPath(path: string, cwd: string): string {
  const short = relative(cwd, path)
  return short !== '' && short.length < path.length ? short : path
}
