import { loadBenchmark } from '../../benchmark/load.js'
import { loadConfig } from '../../config/load.js'
import { openStoreIfThere } from './project-store.js'

export interface CaseListRequest {
  readonly cwd: string
  readonly tags?: readonly string[] | undefined
  /** Only cases whose id or question contains this, in any case of letters. */
  readonly contains?: string | undefined
  readonly offset: number
  readonly limit: number
}

/** Returns cases of the benchmark in its order, with what became of each in its latest run. */
export async function listCases({ cwd, tags, contains, offset, limit }: CaseListRequest, now: () => Date) {
  const config = await loadConfig({ cwd })
  const { cases } = await loadBenchmark({ paths: config.benchmarks, tags, cwd: config.root })
  const wanted = contains?.toLowerCase()
  const chosen = cases.filter(
    ({ id, question }) => wanted === undefined || `${id}\n${question}`.toLowerCase().includes(wanted),
  )
  const opened = await openStoreIfThere({ cwd }, now)
  try {
    const page = chosen.slice(offset, offset + limit)
    return {
      total: chosen.length,
      cases: page.map(({ id, question, tags: itsTags, location }) => {
        const [last] = opened?.store.caseHistory(id, { limit: 1 }) ?? []
        return {
          ...{ id, question, tags: itsTags, file: location.file, line: location.line },
          last: last && { run: last.run.id, outcome: last.record.outcome, reason: last.record.sample.reason },
        }
      }),
    }
  } finally {
    opened?.store.close()
  }
}
