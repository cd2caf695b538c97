import { fileURLToPath } from 'node:url'

/**
 * The installed package's folder. Both the bundle (`dist/`) and the sources that a test runner loads (`src/`) lie
 * one level below it, at whatever depth this module ends up in them.
 */
export const packageRoot = rootAbove(fileURLToPath(import.meta.url))

/**
 * Path of a compiled module that is started as a process or worker of its own, by its name in `dist/`. Node cannot
 * start TypeScript, so the build is meant from the sources too.
 */
export function builtModulePath(name: string): string {
  return `${packageRoot}dist/${name}`
}

function rootAbove(path: string): string {
  const folder = path.endsWith('.ts') ? '/src/' : '/dist/'
  return path.slice(0, path.lastIndexOf(folder) + 1)
}
