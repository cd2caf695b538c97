import { parseKnowledgeBase } from '../kb/parse.js'
import type { Snapshot } from '../snapshot/snapshot.js'

const shown = 10

/** Problems of the knowledge base as lines for people: files that could not be read, then entries that cannot be used. */
export function knowledgeProblems(
  snapshot: Snapshot,
  kbFolder: string,
  unread: readonly { readonly path: string; readonly message: string }[],
): string[] {
  const { problems } = parseKnowledgeBase(snapshot, kbFolder)
  const lines = [
    ...unread.map(({ path, message }) => `${path}: ${message}`),
    ...problems.map((problem) => {
      const hint = problem.hint === undefined ? '' : ` (${problem.hint})`
      return `${problem.path}:${problem.line}:${problem.column}  ${problem.message}${hint}`
    }),
  ]
  const more = lines.length - shown
  return more > 0 ? [...lines.slice(0, shown), `and ${more} more problems of the knowledge base`] : lines
}
