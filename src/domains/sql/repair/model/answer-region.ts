import { entriesNamed } from '../../../../contracts/agent-answer.js'
import type { KnowledgeBase } from '../../../../kb/entry.js'
import { isAnswering } from '../../../../kb/nearest/nearest-entry.js'
import { queriesInNote } from '../../../../kb/note-queries.js'
import type { SqlToken } from '../../../../sql/index.js'
import type { AnswerRegion } from '../../sql-domain-types.js'
import { tokenKey } from './question-values.js'
import { type RepairContext, tokensOf } from './repair-context.js'
import type { SqlEvaluation } from './sql-repair-types.js'

const known = new WeakMap<KnowledgeBase, ReadonlyMap<string, readonly AnswerRegion[]>>()

/** Returns the queries that answers may be copied from, by the id of their entry. */
export function regionsOf(kb: KnowledgeBase): ReadonlyMap<string, readonly AnswerRegion[]> {
  const found = known.get(kb) ?? readRegions(kb)
  known.set(kb, found)
  return found
}

function readRegions(kb: KnowledgeBase): ReadonlyMap<string, readonly AnswerRegion[]> {
  const regions = new Map<string, readonly AnswerRegion[]>()
  for (const { id, path, text } of kb.snippets.values()) {
    const name = id.replace(':', ' ')
    regions.set(id, [{ key: path, name, path, line: 1, start: 0, end: text.length, text }])
  }
  for (const { id, path, text } of kb.notes) {
    const queries = queriesInNote(text)
    regions.set(
      id,
      queries.map(({ number, heading, ...query }) => {
        const isOnly = queries.every((other) => other.number === number || other.heading !== heading)
        const part = heading === undefined || !isOnly ? `query ${number}` : `"${heading}"`
        const name = `${id.replace(':', ' ')}${queries.length === 1 ? '' : `, ${part}`}`
        return { ...query, key: `${path}#${number}`, name, path }
      }),
    )
  }
  for (const entry of kb.entries ?? []) {
    const { id, path, line, span, text } = entry
    if (!isAnswering(entry) || entry.readOnly !== undefined) continue
    regions.set(id, [{ key: id, name: `${path}:${line}`, path, line, ...span, text, isEntry: true }])
  }
  return regions
}

/**
 * Returns the query that an answer was made from, with the values of its question put in: of the entries that the
 * agent lists, the one that shares most with the answer, and more than half. An agent that lists none may have
 * read everything, so that only a copy shows where it is from. Undefined if there is none, or more than one.
 */
export function regionOfAnswer(
  { sample }: SqlEvaluation,
  kb: KnowledgeBase,
  context: RepairContext,
): AnswerRegion | undefined {
  if (sample.kind !== 'answer') return undefined
  const regions = regionsOf(kb)
  const read = entriesNamed(sample)
  const least = sample.read === 'all' ? 1 : 0.5
  const candidates = sample.read === 'all' ? [...regions.values()] : read.map((id) => regions.get(id) ?? [])
  const answer = shapeOf(sample.text, context)
  const shares = candidates
    .flat()
    .map((region) => ({ region, share: sharedPart(answer, shapeOf(region.text, context)) }))
    .filter(({ share }) => share >= least)
    .sort((a, b) => b.share - a.share)
  const [best, second] = shares
  return best === undefined || best.share === second?.share ? undefined : best.region
}

/** Returns a query as its tokens, each value as `?`. */
function shapeOf(sql: string, { dialect, parser }: RepairContext): readonly string[] {
  const tokens = tokensOf(sql.trim().replace(/;$/, ''), dialect, parser)
  return tokens.map((token) => (isValue(token) ? '?' : tokenKey(token)))
}

/** Reports whether a token stands for a value: a literal, or the placeholder of one. */
export function isValue({ kind }: SqlToken): boolean {
  return kind === 'string' || kind === 'number' || kind === 'placeholder'
}

/** Returns the part of both texts that is in both, in the same order: 1 if they are equal. */
function sharedPart(one: readonly string[], other: readonly string[]): number {
  if (one.length === 0 || other.length === 0) return 0
  // Length of the longest common subsequence, row by row.
  let lengths = new Array<number>(other.length + 1).fill(0)
  for (const token of one) {
    const next = [0]
    for (const [at, each] of other.entries())
      next.push(token === each ? (lengths[at] ?? 0) + 1 : Math.max(lengths[at + 1] ?? 0, next[at] ?? 0))
    lengths = next
  }
  return (lengths.at(-1) ?? 0) / Math.max(one.length, other.length)
}
