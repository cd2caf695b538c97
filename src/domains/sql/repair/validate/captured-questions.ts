import { containsWords } from '../../../../kb/words/contains-words.js'
import type { Snapshot } from '../../../../snapshot/snapshot.js'
import { literalPattern } from '../../../../text/literal-pattern.js'
import { newWords } from '../model/new-words.js'
import { interpretationOf, knowledgeBaseOf, type RepairContext, snippetOf } from '../model/repair-context.js'
import type { RepairPlan } from '../model/sql-repair-types.js'

/** Words that ask for the first rows of a list, with the number between them and what is listed. */
const ranking =
  '(?:top|bottom|first|last|best|worst|largest|smallest|biggest|highest|lowest|leading|most\\s+\\p{L}+|\\d+|one|two|three|four|five|ten|twenty)'

const otherHeads = ['How many', 'What is the number of', 'Count of'] as const

/**
 * Returns questions that a plan would answer although nobody asked for that: a name of a list of first rows that
 * every case has behind "top 3" would, alone, also answer "How many …?" with that list.
 */
export function findCapturedQuestions(
  plan: RepairPlan,
  snapshot: Snapshot,
  candidate: Snapshot,
  context: RepairContext,
): string[] {
  const [before, after] = [knowledgeBaseOf(snapshot, context), knowledgeBaseOf(candidate, context)]
  return newWords(plan, snapshot, candidate, after, context).flatMap(({ word, metric, parameter }) => {
    const query = snippetOf(metric, after)?.text ?? ''
    if (parameter !== undefined || !/\blimit\s+\{\{|\btop\s*\(?\s*\{\{|\bfetch\s+first\s+\{\{/iu.test(query))
      return []
    const asking = (context.benchmark ?? plan.cases).filter(({ question }) => containsWords(question, word))
    const ranked = new RegExp(`(?:${ranking}\\s+)+(?=${literalPattern(word)}(?![\\p{L}\\p{N}]))`, 'iu')
    if (asking.some(({ question }) => !ranked.test(question))) return []
    for (const testCase of plan.cases) {
      if (!ranked.test(testCase.question)) continue
      for (const head of otherHeads) {
        const question = testCase.question.replace(ranked, `${head} `)
        const probe = { ...testCase, question }
        const [old, now] = [before, after].map((kb) => interpretationOf(probe, kb, context))
        if (old?.kind !== 'bound' && now?.kind === 'bound' && now.metric.id === metric.id)
          return [
            `"${word}" alone would also answer "${shortened(question, head)}" with the list of ${metric.name}: every case asks for it behind a number`,
          ]
      }
    }
    return []
  })
}

/** Returns the question from its head on. */
function shortened(question: string, head: string): string {
  return question.slice(Math.max(0, question.indexOf(head)))
}
