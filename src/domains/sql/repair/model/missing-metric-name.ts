import type { KnowledgeBase } from '../../../../kb/entry.js'
import { type ParameterReading, readCommonParameters } from './common-parameters.js'
import { phrasesCovering } from './question-phrases.js'

/** What a question that no metric answers calls what it asks for, in small letters; undefined where that is no one name. */
export function missingMetricName(question: string, kb: KnowledgeBase, asOf: string): string | undefined {
  const reading = readCommonParameters(question, kb, asOf)
  return reading && uncoveredName(question, reading)?.toLowerCase()
}

/** The one phrase of a question that no value accounts for; undefined where there is none, or more than one. */
export function uncoveredName(question: string, { leftovers }: ParameterReading): string | undefined {
  const [first, ...more] = leftovers
  return first === undefined || more.length > 0 ? undefined : phrasesCovering(question, [first])[0]
}
