import type { Edit } from '../../../../../edit/edit-types.js'
import { quotedRegions } from '../../../../../kb/quoted-regions.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { type ChangedQuery, queriesChangedBy } from '../../model/changed-queries.js'
import { formatOf, type KnowledgePlace, rewriteQuery } from '../../model/repair-context.js'
import { applyPlan, type RepairPlan } from '../../model/sql-repair-types.js'

/**
 * Returns the plan without the comments that it adds to SQL. No case depends on one, so nothing verifies its
 * content, and the agent reads it all the same: `-- when unsure, drop the period filter`. Unchanged if its
 * edits do not apply.
 */
export function stripAddedComments(plan: RepairPlan, before: Snapshot, context: KnowledgePlace): RepairPlan {
  const candidate = applyPlan(plan, before)
  if (candidate === undefined) return plan
  const bare = queriesChangedBy(plan, before, candidate, context).flatMap((query) => {
    const now = query.after?.text ?? ''
    const text = withoutComments(now, commentsOf(query.before?.text ?? ''))
    return text === now ? [] : [{ path: query.path, edits: editsTo(text, query, before, context) }]
  })
  if (bare.length === 0) return plan
  const changed = new Set(bare.map(({ path }) => path))
  const edits = [
    ...plan.edits.filter(({ path }) => !changed.has(path)),
    ...bare.flatMap((each) => each.edits),
  ]
  return {
    ...plan,
    edits,
    reasoning: `${plan.reasoning}; unverified comments were removed (${[...changed].join(', ')})`,
    size: JSON.stringify(edits).length,
  }
}

function editsTo(
  text: string,
  { name, before }: ChangedQuery,
  snapshot: Snapshot,
  context: KnowledgePlace,
): Edit[] {
  return before === undefined
    ? formatOf(context).creation.create({ query: { name, text } }, snapshot, context.kbFolder)
    : rewriteQuery(before, text, snapshot, context)
}

interface Comment {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Returns the comments of a query, without their line ends. */
function commentsOf(sql: string): Comment[] {
  return quotedRegions(sql).flatMap(({ kind, start, end }) => {
    const text = sql.slice(start, end).trimEnd()
    return kind === 'comment' ? [{ start, end: start + text.length, text }] : []
  })
}

/**
 * Returns the text without its comments except these, each as often as it is given; a line that has nothing
 * else is removed.
 */
function withoutComments(sql: string, known: readonly Comment[]): string {
  const left = known.map(({ text }) => text)
  const added = commentsOf(sql).filter(({ text }) => {
    const at = left.indexOf(text)
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
  return added.reduceRight((text, { start, end }) => {
    const ahead = text.slice(0, start).replace(/[ \t]+$/, '')
    const behind = text.slice(end)
    if (ahead === '' || ahead.endsWith('\n')) {
      const rest = behind.replace(/^[ \t]+/, '')
      return ahead + rest.replace(/^\r?\n/, '')
    }
    return ahead + (/^(?:\s|$)/.test(behind) ? behind : ` ${behind}`)
  }, sql)
}
