import { isAbsolute, relative, resolve } from 'node:path'
import type { SqlCase } from '../benchmark/case.js'
import { casesIn } from '../benchmark/load.js'
import { formerVersions } from '../git/former-versions.js'
import type { FormerQuery } from '../repair/knowledge.js'

/**
 * What cases expected before their benchmark files were changed, newest first, by case id: only of cases that ask the
 * same question still.
 */
export async function formerQueries(
  root: string,
  cases: readonly SqlCase[],
): Promise<ReadonlyMap<string, readonly FormerQuery[]>> {
  const found = new Map<string, FormerQuery[]>()
  for (const file of new Set(cases.map(({ location }) => location.file))) {
    const path = relative(root, resolve(root, file))
    if (isAbsolute(path) || path.startsWith('..')) continue
    for (const { text, by } of await formerVersions(root, path)) {
      const outcome = casesIn(Buffer.from(text), file)
      if (outcome.kind === 'problems') continue
      for (const testCase of cases) {
        const former = outcome.cases.find(({ id }) => id === testCase.id)
        if (former === undefined || former.question !== testCase.question) continue
        if (former.expectedSql.trim() === testCase.expectedSql.trim()) continue
        found.set(testCase.id, [...(found.get(testCase.id) ?? []), { sql: former.expectedSql, by }])
      }
    }
  }
  return found
}
