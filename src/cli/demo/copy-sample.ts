import { cp } from 'node:fs/promises'
import { join } from 'node:path'

const parts = ['benchmarks', 'kb', 'agents', 'data', 'autotest.config.yaml']

/** Copies the sample project; databases are made anew from their script. */
export async function copySample(from: string, to: string): Promise<void> {
  for (const part of parts) {
    await cp(join(from, part), join(to, part), {
      recursive: true,
      filter: (path) => !/\.duckdb(\.|$)/.test(path),
    })
  }
}
