import type { KnowledgeBase, Snippet } from '../../../../kb/entry.js'
import { changedPaths, type Snapshot } from '../../../../snapshot/snapshot.js'
import { type KnowledgePlace, knowledgeBaseOf } from './repair-context.js'
import type { RepairPlan } from './sql-repair-types.js'

/** A query that is added, changed or removed. */
export interface ChangedQuery {
  readonly name: string
  readonly path: string
  readonly before: Snippet | undefined
  readonly after: Snippet | undefined
}

/** Returns the queries that a plan changes, in the order of its edits. */
export function queriesChangedBy(
  { edits }: Pick<RepairPlan, 'edits'>,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: KnowledgePlace,
): ChangedQuery[] {
  return changedQueriesIn(new Set(edits.map(({ path }) => path)), snapshot, candidate, context)
}

/** Returns the queries that differ between two states of the knowledge base, in the order of their files. */
export function changedQueries(
  snapshot: Snapshot,
  candidate: Snapshot,
  context: KnowledgePlace,
): ChangedQuery[] {
  return changedQueriesIn(changedPaths(snapshot, candidate), snapshot, candidate, context)
}

function changedQueriesIn(
  paths: Iterable<string>,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: KnowledgePlace,
): ChangedQuery[] {
  const [had, has] = [snapshot, candidate].map((each) => queriesByPath(knowledgeBaseOf(each, context)))
  return [...paths].flatMap((path) => {
    const [before, after] = [had, has].map(
      (queries) => new Map(queries?.get(path)?.map((query) => [query.name, query])),
    )
    const names = new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])
    return [...names]
      .map((name) => ({ name, path, before: before?.get(name), after: after?.get(name) }))
      .filter((query) => query.before?.text !== query.after?.text)
  })
}

const known = new WeakMap<KnowledgeBase, ReadonlyMap<string, readonly Snippet[]>>()

function queriesByPath(kb: KnowledgeBase): ReadonlyMap<string, readonly Snippet[]> {
  const found = known.get(kb)
  if (found !== undefined) return found
  const queries = new Map<string, Snippet[]>()
  for (const query of kb.snippets.values())
    queries.set(query.path, [...(queries.get(query.path) ?? []), query])
  known.set(kb, queries)
  return queries
}
