import { resolve } from 'node:path'

/** Where the sample project is read from. */
export const sampleRoot = resolve(process.env['AUTOTEST_SAMPLE'] ?? '.')

export function samplePath(path: string): string {
  return resolve(sampleRoot, path)
}
