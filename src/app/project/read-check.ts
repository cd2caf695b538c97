import type { Agent } from '../../agent/agent.js'
import { entriesNamed } from '../../contracts/agent-answer.js'
import { parseKnowledgeBase } from '../../kb/parse.js'
import type { Snapshot } from '../../snapshot/snapshot.js'

/** Returns the agent, and says once if it names entries as read that the knowledge base does not have. */
export function withReadCheck(agent: Agent, kbFolder: string, onNote: (text: string) => void): Agent {
  let isSaid = false
  return {
    ...agent,
    async ask(question, snapshot, signal) {
      const sample = await agent.ask(question, snapshot, signal)
      if (isSaid) return sample
      const unknown = unknownNames(entriesNamed(sample), snapshot, kbFolder)
      if (unknown.length > 0 && !isSaid) {
        isSaid = true
        onNote(
          `agent ${agent.name} names ${unknown.slice(0, 3).join(', ')} in \`read\` (case ${question.id}), which is no entry of ${kbFolder}/ (entries are named like metric:gmv, snippet:gmv.sql, note:terms.md): which repairs concern the case is not known`,
        )
      }
      return sample
    },
  }
}

function unknownNames(names: readonly string[], snapshot: Snapshot, kbFolder: string): string[] {
  if (names.length === 0) return []
  const { metrics, broken, snippets, notes, entries } = parseKnowledgeBase(snapshot, kbFolder)
  const known = new Set(
    [...metrics, ...broken, ...snippets.values(), ...notes, ...(entries ?? [])].map(({ id }) => id),
  )
  return names.filter((name) => !known.has(name))
}
