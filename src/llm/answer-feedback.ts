import type { RoleModel } from './llm-interface.js'
import type { ModelText } from './provider.js'
import { repeatsItself, type UnusableTurn } from './repair-turn.js'

/** Tells the provider of an answer whose form was not enforced, and of a loop. */
export function learnFrom(turn: UnusableTurn, { provider, model }: RoleModel): void {
  const { said, fitsSchema } = turn
  if (said === undefined) return
  if (repeatsItself(turn)) provider.watchForLoops?.(model)
  if (
    said.mode !== undefined &&
    said.refused !== true &&
    fitsSchema !== true &&
    hadNoEffect(said, fitsSchema)
  )
    provider.leaveAnswerMode?.(model, said.mode)
}

/** Reports whether the way in which an answer was asked for shows nowhere in it, as far as it came. */
function hadNoEffect({ mode, called, text }: ModelText, fitsSchema: false | undefined): boolean {
  if (mode === 'tool') return called !== true
  return !text.trimStart().startsWith('{') || (mode === 'schema' && fitsSchema === false)
}
