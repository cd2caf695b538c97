import { sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * The installed package's folder. The bundle (`dist/`), the sources that a test runner loads (`src/`) and
 * their compiled modules that benches load (`build/`) are one level below it, at whatever depth this module
 * is in them.
 */
export const packageRoot = rootAbove(fileURLToPath(import.meta.url))

/**
 * Returns the path of a compiled module that is started as a separate process or worker, by its name in
 * `dist/`. Node cannot start TypeScript, so the build is used when running from sources too.
 */
export function builtModulePath(name: string): string {
  return `${packageRoot}dist/${name}`
}

function rootAbove(file: string): string {
  const path = sep === '/' ? file : file.replaceAll(sep, '/')
  const folders = path.endsWith('.ts') ? ['/src/'] : ['/dist/', '/build/']
  return path.slice(0, Math.max(...folders.map((folder) => path.lastIndexOf(folder))) + 1)
}
