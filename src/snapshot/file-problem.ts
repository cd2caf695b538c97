import { AutotestError, type ErrorCode } from '../errors.js'

/** Line and column count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** One error in a file, with its position and what to do about it. */
export interface Problem extends Position {
  readonly file: string
  readonly message: string
  readonly hint?: string | undefined
}

/** Maximal number of problems listed by one error. */
const shown = 20

/** Returns `benchmarks/orders.yaml:41:5  unknown key …`. */
function problemLine(problem: Problem): string {
  return `${problem.file}:${problem.line}:${problem.column}  ${problem.message}`
}

/**
 * Returns one error for all problems: a line each, "and N more" after twenty; hints follow their lines if
 * they differ.
 */
export function problemsError(code: ErrorCode, problems: readonly Problem[]): AutotestError {
  const hints = new Set(problems.map((problem) => problem.hint))
  const [common] = hints.size === 1 ? hints : []
  const lines = problems.slice(0, shown).map((problem) => {
    const own = hints.size > 1 && problem.hint !== undefined ? ` (${problem.hint})` : ''
    return `${problemLine(problem)}${own}`
  })
  if (problems.length > shown) lines.push(`and ${problems.length - shown} more`)
  return new AutotestError(code, lines.join('\n'), { hint: common })
}
