import { cp } from 'node:fs/promises'
import { join } from 'node:path'

/** A sample project that comes with the program. */
export interface Sample {
  /** Its files and folders, relative to the package. */
  readonly paths: readonly string[]
  /** The drifts of its demo. */
  readonly drifts: string
  /** Files that stand in the place of others in the demo: fewer cases, for example. */
  readonly replaced: Readonly<Record<string, string>>
  /** Benchmark folder, if its configuration is not in the root. */
  readonly benchmark?: string | undefined
}

export const sqlSample: Sample = {
  paths: ['benchmarks', 'kb', 'agents', 'data', 'autotest.config.yaml'],
  drifts: 'demo/drift.yaml',
  replaced: {},
}

export const testsSample: Sample = {
  paths: ['benchmarks/python', 'agents', 'examples/python'],
  drifts: 'demo/tests-drift.yaml',
  replaced: { 'benchmarks/python/shop.yaml': 'demo/tests-cases.yaml' },
  benchmark: 'benchmarks/python',
}

/** Copies a sample project; databases are created from their scripts. */
export async function copySample({ paths, replaced }: Sample, from: string, to: string): Promise<void> {
  for (const part of paths) {
    await cp(join(from, part), join(to, part), {
      recursive: true,
      filter: (path) => !/\.duckdb(\.|$)|\/__pycache__(\/|$)/.test(path),
    })
  }
  for (const [path, by] of Object.entries(replaced)) await cp(join(from, by), join(to, path))
}
