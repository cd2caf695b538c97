import type { SqlCase } from '../../../../../../src/benchmark/case.js'
import type {
  History,
  PreviousVersion,
} from '../../../../../../src/domains/sql/repair/model/knowledge-history.js'
import { noHistory } from '../../repair-in-memory.js'
import { revenueId, revenueSg, revenueTh, shop, shopWith } from '../../shop.js'

export const snippet = 'kb/snippets/revenue.sql'
export const metric = 'kb/metrics/revenue.yaml'
/** What a file of the shop holds. */
export const clean = (path: string): string => shop[path] ?? ''

/** The case with its query in a structure that no snippet of one SELECT has; what it gives decides. */
const otherwise = (testCase: SqlCase): SqlCase => ({
  ...testCase,
  expectedSql: `${testCase.expectedSql} INTERSECT ${testCase.expectedSql}`,
  compare: { policy: 'results' },
})

/** Three cases of the revenue, each in such a structure. */
export const [id, th, sg] = [otherwise(revenueId), otherwise(revenueTh), otherwise(revenueSg)]

/** What git has of files before each change, newest first. */
export function historyOf(
  texts: Readonly<Record<string, readonly string[]>>,
  more: Partial<History> = {},
): { readonly history: History } {
  const states = (path: string): PreviousVersion[] =>
    (texts[path] ?? []).map((text, index) => ({ text, by: `commit 1a2b3c${index}` }))
  const paths = Object.keys(texts)
  const count = Math.max(0, ...Object.values(texts).map((each) => each.length))
  const changes = Array.from({ length: count }, (_, index) => ({
    by: `commit 1a2b3c${index}`,
    paths: paths.filter((path) => texts[path]?.[index] !== undefined),
  }))
  return {
    history: {
      ...noHistory,
      versionsOf: async (path) => states(path),
      changes: async () => changes,
      knowledgeChangedBy: async (by) =>
        changes
          .filter((change) => change.by === by)
          .flatMap((change) =>
            change.paths.map((path) => {
              const at = changes.indexOf(change)
              return { path, before: texts[path]?.[at], after: texts[path]?.[at - 1] }
            }),
          ),
      ...more,
    },
  }
}

/** The shop whose revenue has no condition on the status. */
export const unpaid = shopWith({ [snippet]: ["  AND status = 'paid'\n", ''] })

export const by = 'commit 1a2b3c0'

/** What git tells of files that one commit deleted; `older` are texts from before that, newest first. */
export function gitOf(
  deleted: readonly string[],
  more: Partial<History> = {},
  older: Readonly<Record<string, string>> = {},
) {
  const states = (path: string): PreviousVersion[] => [
    ...(deleted.includes(path) ? [{ text: clean(path), by }] : []),
    ...(older[path] === undefined ? [] : [{ text: older[path], by: 'commit 0000000' }]),
  ]
  const history: History = {
    ...noHistory,
    versionsOf: async (path) => states(path),
    ...more,
  }
  const removedLines = deleted.flatMap((path) =>
    clean(path)
      .trimEnd()
      .split('\n')
      .map((text) => ({ path, text, by })),
  )
  return { history, removedLines }
}
