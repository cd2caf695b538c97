import type { TestRun } from '../../testgen/python/worker-results.js'
import { firstLine } from '../../text/first-line.js'
import { nearest } from '../../text/nearest-word.js'

/** What the run of new tests says of the first phase. */
export interface RedCheck {
  readonly confirmed: boolean
  /** Tests that pass although nothing was built yet. */
  readonly passing: readonly string[]
  /** Why a failure is not that of missing code, one sentence each. */
  readonly wrong: readonly string[]
}

export interface RedContext {
  /** Modules that what is tested is, or will be, in; empty: unknown. */
  readonly modules: readonly string[]
  /** Modules of the project that are there. */
  readonly present: readonly string[]
  /** Whether tests may pass, as people wrote them as examples; one must fail all the same. */
  readonly mayPass: boolean
}

/**
 * Reports whether tests fail because what they test is missing or wrong; a test file that is none, or that imports a misspelt module, fails as well, and
 * would fail whatever is built.
 */
export function checkRed({ tests, errors, failure, message }: TestRun, context: RedContext): RedCheck {
  const wrong = [
    ...errors.flatMap((error) => wrongError(error.message, context) ?? []),
    ...tests.flatMap(({ test, outcome, message: said }) => {
      const problem =
        outcome === 'error' || outcome === 'failed' ? wrongError(said ?? '', context) : undefined
      if (problem !== undefined) return [`${test}: ${problem}`]
      if (outcome === 'error') return [`${test} fails before it begins: ${firstLine(said ?? '')}`]
      return outcome === 'skipped' || outcome === 'xfailed' ? [`${test} is ${outcome}`] : []
    }),
    ...(failure === undefined ? [] : [`the tests did not end: ${message ?? failure}`]),
    ...(tests.length === 0 && errors.length === 0 && failure === undefined ? ['there is no test'] : []),
  ]
  const passing = tests.flatMap(({ test, outcome }) =>
    outcome === 'passed' || outcome === 'xpassed' ? [test] : [],
  )
  const demands = context.mayPass ? passing.length < tests.length || errors.length > 0 : passing.length === 0
  return { confirmed: wrong.length === 0 && demands, passing, wrong }
}

/** Returns why an error is not that of missing code; undefined if it may be. */
function wrongError(message: string, { modules, present }: RedContext): string | undefined {
  const line = /^E\s+(\S*(?:Error|Exception)\b.*)$/m.exec(message)?.[1] ?? firstLine(message)
  if (/SyntaxError|IndentationError|TabError/.test(message)) return `the test file is no Python: ${line}`
  const fixture = /fixture '.*' not found/.exec(message)?.[0]
  if (fixture !== undefined) return fixture
  const missing = /No module named '([\w.]+)'/.exec(message)?.[1]
  if (missing !== undefined) {
    if (modules.some((module) => module === missing || module.startsWith(`${missing}.`))) return undefined
    const meant = nearest(missing, present)
    if (meant !== undefined) return `it imports ${missing}; did you mean ${meant}?`
    return modules.length > 0 ? `it imports ${missing}, which none of the interfaces is in` : undefined
  }
  const from = /cannot import name '\w+' from '([\w.]+)'/.exec(message)?.[1]
  if (from !== undefined && modules.length > 0 && !modules.includes(from))
    return `it imports from ${from}, which none of the interfaces is in`
  const name = /NameError: name '(\w+)' is not defined/.exec(message)?.[1]
  return name === undefined ? undefined : `it uses ${name}, which it neither imports nor defines`
}
