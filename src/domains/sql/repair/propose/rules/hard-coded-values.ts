import type { Dialect } from '../../../../../enums/dialect.js'
import type { Binding } from '../../../../../kb/question-interpretation.js'
import type { SqlParser, SqlToken } from '../../../../../sql/index.js'
import {
  derivesFromQuestion,
  type QuestionValue,
  questionValues,
  tokenKey,
} from '../../model/question-values.js'

interface Questions {
  readonly examples: readonly { readonly bindings: readonly Binding[] }[]
  readonly parser: SqlParser
  readonly dialect: Dialect
}

/**
 * Reports whether a literal is the question's own in every example and was added, or is kept where no
 * placeholder gives that value: the snippet would answer this question only.
 */
export function hardCodesQuestionValue(
  input: Questions,
  before: readonly SqlToken[],
  after: readonly SqlToken[],
): boolean {
  const known = new Map<string, number>()
  for (const token of before) known.set(tokenKey(token), (known.get(tokenKey(token)) ?? 0) + 1)
  const added = after.filter((token) => {
    const left = known.get(tokenKey(token)) ?? 0
    known.set(tokenKey(token), left - 1)
    return left <= 0
  })
  const values = input.examples.map(({ bindings }) => questionValues(bindings, input.parser, input.dialect))
  const used = new Set(after.flatMap((token) => (token.kind === 'placeholder' ? [token.value] : [])))
  const stuck = (token: SqlToken, of: readonly QuestionValue[]): boolean =>
    token.kind === 'string' && of.some((value) => value.text === token.value && !used.has(value.placeholder))
  return (
    added.some((token) => values.every((of) => derivesFromQuestion(token, of))) ||
    after.some((token) => values.every((of) => stuck(token, of)))
  )
}
