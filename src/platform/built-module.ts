import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The installed package's folder. The bundle (`dist/`), the sources that a test runner loads (`src/`) and their compiled
 * modules that benches load (`build/`) lie one level below it, at whatever depth this module ends up in them.
 */
export const packageRoot = rootAbove(fileURLToPath(import.meta.url))

/**
 * Path of a compiled module that is started as a process or worker of its own, by its name in `dist/`. Node cannot
 * start TypeScript, so the build is meant from the sources too.
 */
export function builtModulePath(name: string): string {
  return `${packageRoot}dist/${name}`
}

function rootAbove(file: string): string {
  const path = sep === '/' ? file : file.replaceAll(sep, '/')
  const folders = path.endsWith('.ts') ? ['/src/'] : ['/dist/', '/build/']
  return path.slice(0, Math.max(...folders.map((folder) => path.lastIndexOf(folder))) + 1)
}
