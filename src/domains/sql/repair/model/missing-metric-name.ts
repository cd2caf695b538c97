import type { KnowledgeBase } from '../../../../kb/entry.js'
import { type ParameterReading, readCommonParameters } from './common-parameters.js'
import { phrasesCovering } from './question-phrases.js'

/**
 * Returns the name that a question uses for a metric that does not exist, in lower case; undefined if there
 * is not exactly one.
 */
export function missingMetricName(question: string, kb: KnowledgeBase, asOf: string): string | undefined {
  const reading = readCommonParameters(question, kb, asOf)
  return reading && uncoveredName(question, reading)?.toLowerCase()
}

/**
 * Returns the one phrase of a question that is not part of a value; undefined if there is none, or more than
 * one.
 */
export function uncoveredName(question: string, { leftovers }: ParameterReading): string | undefined {
  const [first, ...more] = leftovers
  return first === undefined || more.length > 0 ? undefined : phrasesCovering(question, [first])[0]
}
