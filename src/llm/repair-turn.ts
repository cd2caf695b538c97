import type { Role } from '../enums/role.js'
import { addToLastMessage } from './add-to-last-message.js'
import type { ChatMessage, ModelText } from './provider.js'
import { findRepeatedEnd } from './repeated-end.js'

/** An answer that cannot be used, and the reason. */
export interface UnusableTurn {
  readonly kind: 'again'
  readonly message: string
  /** The hint for the user. */
  readonly hint?: string | undefined
  /** What the model wrote, as far as it is known. */
  readonly said: ModelText | undefined
  /** Whether the schema of the answer allows it, and it is wrong for another reason; undefined for an answer that is not whole. */
  readonly fitsSchema: boolean | undefined
}

/** Longer parts of a bad answer do not help the model, and are paid for again. */
const shownCharacters = 2000

/**
 * Returns the messages with which a model is asked once more: its own words, as far as they came, and what was wrong
 * with them. Without words of its own no turn of it is invented: the problem is added to the question.
 */
export function withRepairTurn(messages: readonly ChatMessage[], turn: UnusableTurn): ChatMessage[] {
  const words = shownWords(turn.said?.text ?? '')
  const again = `Your answer could not be used: ${turn.message}. ${instruction(turn)}`
  if (words === '') return addToLastMessage(messages, again)
  return [...messages, { role: 'assistant', content: words }, { role: 'user', content: again }]
}

/** Returns the beginning of an answer; of one that repeats itself, up to the first repetition: a model continues what it reads. */
function shownWords(text: string): string {
  const loop = findRepeatedEnd(text)
  const told = loop === undefined ? text : text.slice(0, loop.start + loop.period)
  return told.slice(0, shownCharacters).trim()
}

function instruction(turn: UnusableTurn): string {
  const form = 'Answer again with one JSON object of the requested form, and no other text.'
  return repeatsItself(turn) ? `${form} Write nothing twice.` : form
}

/** Reports whether an answer repeats itself until its end. */
export function repeatsItself({ said }: UnusableTurn): boolean {
  return said !== undefined && findRepeatedEnd(said.text) !== undefined
}

/** Returns what was wrong with both answers of a model. */
export function bothProblems(first: UnusableTurn, second: UnusableTurn): string {
  const [before, after] = [describe(first), describe(second)]
  return before === after ? `${before} (twice)` : `${before}; asked again: ${after}`
}

function describe({ message, said }: UnusableTurn): string {
  const loop = findRepeatedEnd(said?.text ?? '')
  if (loop === undefined || said === undefined) return message
  const part = said.text.slice(loop.start, loop.start + Math.max(loop.period, 8)).replaceAll(/\s+/g, ' ')
  return `${message}; it repeats ${JSON.stringify(part.slice(0, 40))} until its end`
}

/** Returns what a user can do about two unusable answers. */
export function hintFor(first: UnusableTurn, second: UnusableTurn, role: Role): string {
  if (repeatsItself(first) || repeatsItself(second))
    return `The model is in a loop, and more tokens will not help: set another model in \`llm.roles.${role}.model\`, or raise its temperature.`
  return (
    second.hint ??
    first.hint ??
    `Check the prompt in the definition of its role, or set another model in \`llm.roles.${role}.model\`.`
  )
}
