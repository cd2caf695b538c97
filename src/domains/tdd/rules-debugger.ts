import { AutotestError } from '../../errors.js'
import type { PythonWorker } from '../../testgen/python/worker.js'
import { type CandidateFix, type FaultSearch, faultSearch } from '../../testgen/python/worker-results.js'
import { firstLine } from '../../text/first-line.js'
import type { Confidence, Diagnosis } from './diagnosis.js'
import type { FailingTest } from './task-state.js'

export interface FailureContext {
  readonly worker: PythonWorker
  /** Test files that are run, relative to the workspace. */
  readonly testFiles: readonly string[]
  readonly failing: readonly FailingTest[]
  /** Files that may be at fault. */
  readonly sources: readonly string[]
  /** For the search; they stand for a number of changes. */
  readonly seconds: number
}

/** How many changes are tried at most. */
const mostChanges = 6000

/**
 * Diagnoses failing tests without a model: the lines that failing tests run and passing ones do not, and the changes of them with which all tests pass.
 * Throws `AutotestError('python_failed')` where nothing is known about the failure.
 */
export async function diagnoseByRules(context: FailureContext): Promise<Diagnosis> {
  const { worker, testFiles, failing, sources, seconds } = context
  const asked = failing.length === 0 ? null : failing.map(({ test }) => test)
  const found = await worker.call(
    'diagnose',
    { tests: testFiles, sources, failing: asked, seconds, most: mostChanges },
    faultSearch,
    (20 * seconds + 90) * 1000,
  )
  return diagnosisOf(found, failing)
}

function diagnosisOf(found: FaultSearch, failing: readonly FailingTest[]): Diagnosis {
  const [error] = found.errors
  const [first] = found.failing
  const [suspect, ...rest] = found.lines
  if (error !== undefined && first === undefined) return uncollected(error.test, error.message)
  if (first === undefined || suspect === undefined)
    throw new AutotestError(
      'python_failed',
      `nothing of the sources runs in ${failing[0]?.test ?? 'the failing tests'}, so that no line of them can be at fault`,
      { hint: 'The tests, or what they import, are where to look.' },
    )
  // The search runs without what makes messages of assertions, as that takes time.
  const message = failing.find(({ test }) => test === first.test)?.message ?? first.message ?? ''
  const { expected, actual } = expectation(message)
  const owner = suspect.function ?? 'the module'
  const [fix] = found.fixes
  const confidence = confidenceIn(found)
  const others = rest.filter((line) => line.fixes > 0).slice(0, 3)
  return {
    rootCause:
      fix === undefined
        ? `${owner} is under suspicion at line ${suspect.line}: ${share(suspect.suspicion)} of what fails and passes fits.`
        : `In ${fix.function}, line ${fix.line} says \`${fix.before}\`, and with \`${fix.after}\` all tests pass.`,
    location: { file: suspect.path, function: owner, line: suspect.line },
    analysis: [
      `${found.failing.length === 1 ? 'One test fails' : `${found.failing.length} tests fail`}, ${found.passing} pass; first ${first.test}${first.line === null ? '' : `, line ${first.line}`}: ${firstLine(message)}.`,
      ...(first.place === null ? [] : [`The error comes from ${first.place[0]}, line ${first.place[1]}.`]),
      `Of the lines that failing tests run, ${suspect.path}:${suspect.line} in ${owner} fits best (${share(suspect.suspicion)} by the tests that run it).`,
      found.stopped
        ? `Small changes were not tried to the end: their tests take too long (${found.tried} were). Give it more seconds.`
        : found.fixes.length === 0
          ? `${found.tried} small changes were tried, and with none of them all tests pass.`
          : `${found.tried} small changes were tried; with ${found.whole === 1 ? 'one' : found.whole} of them all tests pass${otherLines(found)}.`,
    ],
    expected,
    actual,
    recommendedFix:
      fix === undefined
        ? `Look at ${found.lines
            .slice(0, 3)
            .map(({ path, line }) => `${path}:${line}`)
            .join(', ')}, in this order.`
        : describeFixes(found.fixes),
    confidence,
    rationale: rationaleOf(found, confidence),
    others: others.map(({ path, line, function: name }) => {
      const change = found.fixes.find((each) => each.path === path && each.line === line)
      return {
        rootCause: 'The same tests also pass after a change here.',
        location: { file: path, function: name ?? 'the module', line },
        recommendedFix: change === undefined ? '' : `\`${change.before}\` → \`${change.after}\``,
      }
    }),
    fixes: found.fixes,
  }
}

/** A file of tests, or a module that it imports, that does not even load. */
function uncollected(file: string, message: string): Diagnosis {
  const place = [...message.matchAll(/^(\S+\.py):(\d+): /gm)].at(-1)
  const last = firstLine(/^E\s+(.*)$/m.exec(message)?.[1] ?? message)
  const location = { file: place?.[1] ?? file, function: 'the module', line: Number(place?.[2] ?? 1) }
  return {
    rootCause: `${file} cannot be loaded: ${last}`,
    location,
    analysis: [
      `${file} cannot be collected, so that none of its tests runs.`,
      `The import ends at ${location.file}, line ${location.line}: ${last}.`,
    ],
    expected: 'that the tests can be loaded',
    actual: last,
    recommendedFix: `Define what is missing: ${last}.`,
    confidence: /cannot import name|No module named|SyntaxError|NameError/.test(last) ? 'high' : 'medium',
    rationale: 'the error names what is missing',
    others: [],
    fixes: [],
  }
}

function confidenceIn({ fixes }: FaultSearch): Confidence {
  if (fixes.length === 0) return 'low'
  return new Set(fixes.map(({ path, line }) => `${path}:${line}`)).size === 1 ? 'high' : 'medium'
}

function rationaleOf({ fixes, tried }: FaultSearch, confidence: Confidence): string {
  if (confidence === 'low')
    return `none of ${tried} changes makes all tests pass; the order is by coverage alone`
  if (confidence === 'high')
    return fixes.length === 1
      ? 'one change, and no other, makes all tests pass'
      : `${fixes.length} changes that make all tests pass agree on the line`
  return `${fixes.length} changes make all tests pass, on different lines: another test would tell them apart`
}

function otherLines({ fixes }: FaultSearch): string {
  const places = new Set(fixes.map(({ path, line }) => `${path}:${line}`))
  return places.size > 1 ? `, on ${places.size} lines` : ''
}

function describeFixes(fixes: readonly CandidateFix[]): string {
  const shown = fixes.slice(0, 3)
  const words = shown.map(({ path, line, before, after }) => `${path}:${line}: \`${before}\` → \`${after}\``)
  const more = fixes.length > shown.length ? `, and ${fixes.length - shown.length} more` : ''
  return shown.length === 1 ? `Change ${words[0]}.` : `Change one of ${words.join('; ')}${more}.`
}

/** Returns what an assertion expects and what it gets, as far as its message says so. */
function expectation(message: string): { readonly expected: string; readonly actual: string } {
  const text = message.replace(/^AssertionError:?\s*/, '')
  const compared = /assert\s+(.+?)\s+(==|is|in)\s+(.+?)$/m.exec(text)
  if (compared !== null) return { expected: compared[3] ?? '', actual: compared[1] ?? '' }
  const missing = /DID NOT RAISE\s+(.*)/.exec(text)
  if (missing !== null) return { expected: `that it raises ${missing[1] ?? ''}`, actual: 'no exception' }
  return { expected: 'that the test passes', actual: firstLine(message) }
}

function share(value: number): string {
  return `${Math.round(value * 100)}%`
}
