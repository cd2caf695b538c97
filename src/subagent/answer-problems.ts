import type { z } from 'zod'

type Issue = z.core.$ZodIssue
type Union = Extract<Issue, { code: 'invalid_union' }>

/** Maximal number of problems reported: the others are reported once these are fixed. */
const maxProblems = 3

/**
 * Returns the problems of an answer, for the model that is asked again and for people: `edits.0.replace: …`.
 */
export function answerProblems({ issues }: z.ZodError): string {
  return issues
    .flatMap((issue) => problemsOf(issue, []))
    .slice(0, maxProblems)
    .join('; ')
}

function problemsOf(issue: Issue, around: readonly PropertyKey[]): string[] {
  const path = [...around, ...issue.path]
  if (issue.code !== 'invalid_union') return [`${path.join('.') || 'the answer'}: ${issue.message}`]
  const choices = valuesOf(issue) ?? typesOf(issue)
  if (choices !== undefined) {
    const words = [...new Set(choices.words)]
    const expected = `${words.length === 1 ? '' : 'one of '}${words.join('|')}`
    return [`${[...path, ...choices.at].join('.')}: Invalid input: expected ${expected}`]
  }
  return likeliestBranch(issue.errors).flatMap((each) => problemsOf(each, path))
}

interface Choices {
  readonly at: readonly PropertyKey[]
  readonly words: readonly string[]
}

/** Returns the allowed values of the discriminator, such as `kind`, if no branch matches. */
function valuesOf({ errors }: Union): Choices | undefined {
  const wrong = errors.map((branch) => branch.find((issue) => issue.code === 'invalid_value'))
  const [first] = wrong
  const found = wrong.flatMap((issue) =>
    issue?.code === 'invalid_value' && String(issue.path) === String(first?.path) ? [issue] : [],
  )
  if (first === undefined || found.length < errors.length) return undefined
  return {
    at: first.path,
    words: found.flatMap(({ values }) => values.map((value) => JSON.stringify(value))),
  }
}

/** Returns the allowed types, if each branch is only a type. */
function typesOf({ errors }: Union): Choices | undefined {
  const types = errors.flatMap(([issue, ...more]) =>
    issue?.code === 'invalid_type' && issue.path.length === 0 && more.length === 0 ? [issue.expected] : [],
  )
  return types.length < errors.length ? undefined : { at: [], words: types }
}

/** Returns the branch that was probably meant: one whose discriminator matches, with the fewest errors. */
function likeliestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const misfits = (branch: readonly Issue[]): number =>
    branch.filter(({ code }) => code === 'invalid_value').length
  const [best = []] = branches.toSorted((a, b) => misfits(a) - misfits(b) || a.length - b.length)
  return best
}
