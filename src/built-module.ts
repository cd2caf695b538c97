import { fileURLToPath } from 'node:url'

/**
 * Path of a compiled module that is started as a process or worker of its own.
 * A test runner loads the TypeScript sources, which Node cannot start: there the build in dist/ is meant.
 */
export function builtModulePath(name: string, importerUrl: string): string {
  const path = fileURLToPath(new URL(name, importerUrl))
  const at = path.lastIndexOf('/src/')
  return importerUrl.endsWith('.ts') && at >= 0 ? `${path.slice(0, at)}/dist/${path.slice(at + 5)}` : path
}
