import { resolve } from 'node:path'
import type { SqlCase } from '../../benchmark/case.js'
import { displayPath } from '../../benchmark/file-discovery.js'
import { parseCases } from '../../benchmark/load.js'
import type { Config } from '../../config/config.js'
import { describeNotCheckedOut, type NotCheckedOut, textInIndex } from '../../git/not-checked-out.js'
import { absentBelow, notCheckedOut } from './checkout.js'

/** Cases of benchmark files that are in git and not on disk. */
export interface AbsentCases {
  /** As git has them, each with the reason why it is not evaluated. */
  readonly cases: readonly SqlCase[]
  /** What holds cases that cannot be listed. */
  readonly unlisted: readonly NotCheckedOut[]
}

/** Returns the benchmark files of a project that are not checked out. */
export async function absentBenchmarkFiles(config: Config): Promise<readonly NotCheckedOut[]> {
  const absent = absentBelow(await notCheckedOut(config), config.root, config.benchmarks)
  return absent.filter(
    ({ path, isFolder }) =>
      isFolder ||
      config.benchmarks.includes(path) ||
      (/\.ya?ml$/u.test(path) && !path.split('/').some((part) => part.startsWith('.'))),
  )
}

/** Returns the text-to-SQL cases of benchmark files that are not checked out. */
export async function absentCases(config: Config, known: readonly SqlCase[]): Promise<AbsentCases> {
  const ids = new Set(known.map(({ id }) => id))
  const cases: SqlCase[] = []
  const unlisted: NotCheckedOut[] = []
  for (const file of await absentBenchmarkFiles(config)) {
    const text = await textInIndex(config.root, file)
    const shown = displayPath(resolve(config.root, file.path), config.root)
    const read = text === undefined ? undefined : parseCases(Buffer.from(text), shown)
    if (read?.kind !== 'cases') unlisted.push(file)
    else {
      const [notEvaluated] = describeNotCheckedOut([file])
      cases.push(
        ...read.cases.filter(({ id }) => !ids.has(id)).map((testCase) => ({ ...testCase, notEvaluated })),
      )
    }
  }
  return { cases, unlisted }
}
