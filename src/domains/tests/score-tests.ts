import type { ErrorCause, Verdict } from '../../contracts/score.js'
import type { MutantScore, TestRun, TestStructure } from '../../testgen/python/worker-results.js'
import { lastLine } from '../../text/last-line.js'
import type { TestFile } from './run-test-file.js'
import type { TestsFindings, TestsScore } from './tests-domain-types.js'

/** Tests, and what is known of the function besides them. */
export interface ScoredTests {
  /** The test file as the agent left it, and as it was before. */
  readonly text: string
  readonly before: string
  readonly spec: string
  /** Least share of killable mutants, from 0 to 1. */
  readonly threshold: number
  /** Text of the function's file with a bug. */
  readonly buggy: string | undefined
  /** Numbers of the mutants that other tests are known to kill. */
  readonly killable: ReadonlySet<number>
}

const mostSurvivors = 10
const repeatedSeeds = [1, 2]

/** Scores tests: by their syntax tree, on the function as it is, on its mutants, and on its version with a bug. */
export async function scoreTests(tests: ScoredTests, file: TestFile): Promise<TestsScore> {
  const structure = await file.structure(tests.text, tests.before)
  const warnings = structure.problems.flatMap((each) => (each.severity === 'warning' ? words(each) : []))
  const problems = structure.problems.flatMap((each) => (each.severity === 'error' ? words(each) : []))
  const notRun = (verdict: Verdict, reason: string, errorCause?: ErrorCause): TestsScore => ({
    verdict,
    reason,
    errorCause,
    findings: findingsOf(structure, { problems: problems.length > 0 ? problems : [reason], warnings }),
  })
  const [first] = problems
  if (first !== undefined) return notRun('fail', first)
  const reference = relevant(await file.run(), structure)
  const failure = await referenceFailure(reference, structure, tests, file)
  if (failure !== undefined) return notRun(failure.verdict, failure.reason, failure.errorCause)
  const varying = await firstVarying(reference, structure, file)
  if (varying !== undefined) return notRun('fail', varying)
  return scoreOnWrongCode(tests, structure, warnings, file)
}

/** Scores tests that pass on the function as it is. */
async function scoreOnWrongCode(
  tests: ScoredTests,
  structure: TestStructure,
  warnings: readonly string[],
  file: TestFile,
): Promise<TestsScore> {
  const score = await file.mutants()
  const problem = harnessProblem(score, structure)
  const bug = tests.buggy === undefined ? undefined : await runWithBug(tests.buggy, structure, file)
  const { killable } = tests
  const killed = score.mutants.filter(({ outcome }) => outcome === 'killed')
  const known = score.mutants.filter(({ number, outcome }) => killable.has(number) && outcome !== 'not_run')
  const knownKilled = known.filter(({ outcome }) => outcome === 'killed')
  const findings: TestsFindings = {
    ...findingsOf(structure, { problems: problem === undefined ? [] : [problem], warnings }),
    mutants: {
      total: score.mutants.length,
      killed: killed.length,
      killable: known.length === 0 ? undefined : known.length,
      killableKilled: known.length === 0 ? undefined : knownKilled.length,
    },
    lines: {
      taken: score.lines.filter((line) => score.executable_lines.includes(line)).length,
      total: score.executable_lines.length,
    },
    branches: score.branches,
    catchesBug: bug?.noticed,
    survivors: known
      .filter(({ outcome }) => outcome === 'survived')
      .slice(0, mostSurvivors)
      .map(({ line, before, after }) => ({ line, before, after })),
  }
  if (problem !== undefined) return { verdict: 'fail', reason: problem, findings }
  const late = score.mutants.filter(({ outcome, by }) => outcome === 'not_run' && by !== null)
  if (late.length > 0) {
    const reason = `${late.length} of ${score.mutants.length} mutants were not tried: their tests took too long`
    return { verdict: 'error', errorCause: 'engine', reason, findings }
  }
  if (bug?.noOracle !== undefined)
    return { verdict: 'error', errorCause: 'suspect_oracle', reason: bug.noOracle, findings }
  if (bug?.ended !== undefined) return { verdict: 'fail', reason: bug.ended, findings }
  return { ...verdictOf(findings, tests.threshold), findings }
}

function verdictOf(
  { mutants, catchesBug, survivors }: TestsFindings,
  threshold: number,
): Pick<TestsScore, 'verdict' | 'by' | 'reason'> {
  const { killable, killableKilled = 0, killed, total } = mutants
  if (catchesBug === false)
    return { verdict: 'fail', reason: 'the version with a bug passes: no test notices the bug' }
  const ofAll = `${killed} of all ${total}`
  if (killable === undefined)
    return catchesBug === true
      ? { verdict: 'pass', by: 'results', reason: `the bug is caught; ${ofAll} mutants killed` }
      : { verdict: 'unproven', reason: `no mutant is known to be killable: ${ofAll} killed` }
  const share = killableKilled / killable
  const words = `${killableKilled} of ${killable} killable mutants killed (${ofAll})`
  if (share >= threshold)
    return {
      verdict: 'pass',
      by: 'results',
      reason: catchesBug === true ? `${words}; the bug is caught` : words,
    }
  const [survivor] = survivors
  const example =
    survivor === undefined ? '' : `; line ${survivor.line}: ${survivor.before} → ${survivor.after} survives`
  return { verdict: 'fail', reason: `${words}, ${threshold} is asked for${example}` }
}

interface BugRun {
  readonly noticed?: boolean
  /** Why the version with a bug says nothing of tests. */
  readonly noOracle?: string
  /** Why the tests say nothing of the version with a bug. */
  readonly ended?: string
}

async function runWithBug(buggy: string, structure: TestStructure, file: TestFile): Promise<BugRun> {
  const rewritten = await file.rewritten()
  if (rewritten !== undefined) {
    // What fails where nothing but the text is different looks at the text.
    const run = relevant(await file.runWith(rewritten), structure)
    if (!passes(run)) return { noticed: false }
  }
  const run = relevant(await file.runWith(buggy), structure)
  const [error] = run.errors
  if (error !== undefined && run.tests.length === 0)
    return { noOracle: `the version with a bug cannot be run: ${lastLine(error.message)}` }
  // As with mutants: a process that ends by itself is no result of a test.
  if (run.failure === 'crash')
    return { ended: `with the bug, the process ended before the tests had results: ${run.message ?? ''}` }
  // A test that is only skipped with the bug does not notice it.
  const failed = run.tests.some(({ outcome }) => outcome === 'failed' || outcome === 'error')
  return { noticed: run.failure !== undefined || run.errors.length > 0 || failed }
}

function harnessProblem(score: MutantScore, structure: TestStructure): string | undefined {
  if (score.noticed_rewrite !== null)
    return `${plainName(score.noticed_rewrite)} fails where the function is only written in another way: it looks at its code, or at how it is run`
  const failing = score.reference.find(
    ({ test, outcome }) => outcome !== 'passed' && !isLeftOut(test, outcome, structure),
  )
  if (failing !== undefined)
    return `${plainName(failing.test)} passes alone and fails where it is traced: ${failing.message ?? failing.outcome}`
  const covering = new Set(
    score.reference.flatMap(({ test, ['covers']: covers }) => (covers === true ? [plainName(test)] : [])),
  )
  const idle = structure.new.find((name) => !covering.has(name))
  return idle === undefined ? undefined : `${idle} does not reach the function when it runs`
}

interface ReferenceFailure {
  readonly verdict: Verdict
  readonly reason: string
  readonly errorCause?: ErrorCause | undefined
}

/** Returns why the tests do not pass on the function as it is; undefined if they do. */
async function referenceFailure(
  run: TestRun,
  { new: added }: TestStructure,
  { text, spec }: ScoredTests,
  file: TestFile,
): Promise<ReferenceFailure | undefined> {
  if (passes(run)) return undefined
  const problem = await file.importProblem()
  if (problem !== undefined)
    return {
      verdict: 'error',
      errorCause: 'suspect_oracle',
      reason: `the module cannot be imported: ${problem}`,
    }
  if (run.failure !== undefined)
    return { verdict: 'fail', reason: `the tests did not end: ${run.message ?? run.failure}` }
  const [error] = run.errors
  if (error !== undefined)
    return { verdict: 'fail', reason: `the tests cannot be collected: ${lastLine(error.message)}` }
  const failing = run.tests.filter(({ outcome }) => outcome !== 'passed')
  const [first] = failing
  if (first === undefined) return { verdict: 'fail', reason: 'there are no tests' }
  const said = await file.agreement(
    text,
    failing.map(({ test }) => plainName(test)).filter((name) => added.includes(name)),
    spec,
  )
  if (said !== undefined)
    return {
      verdict: 'error',
      errorCause: 'suspect_oracle',
      reason: `a test fails that says what is written down: ${said}`,
    }
  const why = first.message === null ? '' : `: ${lastLine(first.message.split('\n', 1)[0] ?? '')}`
  return { verdict: 'fail', reason: `${plainName(first.test)} is ${first.outcome}${why}` }
}

async function firstVarying(
  reference: TestRun,
  structure: TestStructure,
  file: TestFile,
): Promise<string | undefined> {
  const runs = await Promise.all(
    repeatedSeeds.map(async (seed) => relevant(await file.runAnew(seed), structure)),
  )
  for (const run of runs) {
    const failing = run.tests.find(({ outcome }) => outcome !== 'passed')
    if (failing !== undefined)
      return `nondeterministic: ${plainName(failing.test)} passes, and fails with other hashes in another order: ${lastLine(failing.message ?? '')}`
    if (!passes(run) || run.tests.length !== reference.tests.length)
      return `nondeterministic: run again with other hashes in another order, the tests end otherwise (${run.message ?? lastLine(run.errors[0]?.message ?? '')})`
  }
  return undefined
}

function passes({ tests, errors, failure }: TestRun): boolean {
  return (
    failure === undefined &&
    errors.length === 0 &&
    tests.length > 0 &&
    tests.every(({ outcome }) => outcome === 'passed')
  )
}

/** Returns a run without tests that were there before and are not run: nobody expects them to pass. */
function relevant(run: TestRun, structure: TestStructure): TestRun {
  return { ...run, tests: run.tests.filter(({ test, outcome }) => !isLeftOut(test, outcome, structure)) }
}

function isLeftOut(test: string, outcome: string, { new: added }: TestStructure): boolean {
  return (outcome === 'skipped' || outcome === 'xfailed') && !added.includes(plainName(test))
}

function findingsOf(
  { tests, new: added }: TestStructure,
  { problems, warnings }: Pick<TestsFindings, 'problems' | 'warnings'>,
): TestsFindings {
  return {
    tests: tests.length,
    newTests: added.length,
    mutants: { total: 0, killed: 0, killable: undefined, killableKilled: undefined },
    lines: { taken: 0, total: 0 },
    branches: { taken: 0, total: 0 },
    catchesBug: undefined,
    survivors: [],
    problems,
    warnings,
  }
}

function words({ test, line, message }: TestStructure['problems'][number]): string[] {
  const place = line === null ? '' : ` (line ${line})`
  return [test === null || message.includes(test) ? `${message}${place}` : `${test}${place}: ${message}`]
}

/** Returns the name of a test as its file has it: `test_total`, `TestCart::test_total`, without parameters. */
function plainName(test: string): string {
  return test.split('::').slice(1).join('::').replace(/\[.*$/s, '')
}
