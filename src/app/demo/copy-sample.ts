import { cp } from 'node:fs/promises'
import { join } from 'node:path'

/** The files and folders of the sample project, relative to its root. */
export const samplePaths = ['benchmarks', 'kb', 'agents', 'data', 'autotest.config.yaml']

/** Copies the sample project; databases are created from their scripts. */
export async function copySample(from: string, to: string): Promise<void> {
  for (const part of samplePaths) {
    await cp(join(from, part), join(to, part), {
      recursive: true,
      filter: (path) => !/\.duckdb(\.|$)/.test(path),
    })
  }
}
