import type { AutotestError } from '../../errors.js'
import type { RepairTypes } from '../../repair/model/diagnosis.js'
import { formatAnswerCounts, repeatStatisticsOf } from '../../report/repeat-statistics.js'
import { type BaselineCase, type BaselineInput, runBaseline } from '../../run/baseline.js'
import { baselineRecord, fingerprintOf, sampleRecord } from '../../run/case-records.js'
import { longestErrorStreak } from '../../run/error-streak.js'
import type { CaseRecord } from '../../store/record-types.js'
import type { MeasuredBaseline, StartedRun } from './run-state.js'

/** How often a failing case is asked again if its agent may answer differently. */
export const flakyRepeats = 2

/** Asks every case that is not answered yet; results are stored in the run database immediately. */
export async function measureBaseline(started: StartedRun): Promise<MeasuredBaseline> {
  const { request, snapshot, parts, times, known, deadline, llm } = started
  const { config, selected } = request.project
  const recorder = createRecorder(started)
  const cases = await runBaseline({
    cases: selected,
    snapshot,
    evaluator: parts.evaluator,
    // Twice as many cases as concurrent questions: while some are scored, the agent stays busy.
    concurrency: 2 * config.limits.concurrency,
    times,
    // Asking again tells a flaky case from one that is wrong, which only a repair needs to know.
    repeats: request.mode === 'evaluate' ? 0 : flakyRepeats,
    repeatsLast: llm !== undefined,
    known,
    signal: request.signal,
    deadline: deadline.signal,
    keepPassing: request.mode !== 'evaluate',
    ...recorder.callbacks,
  })
  return { cases, ...recorder.found(), isLate: deadline.signal.aborted }
}

interface Recorder {
  readonly callbacks: Pick<
    BaselineInput<RepairTypes>,
    'onAnswer' | 'onBusy' | 'onCase' | 'onExhausted' | 'onGivenUp'
  >
  found(): Pick<MeasuredBaseline, 'failedRows' | 'finished' | 'isExhausted' | 'isGivenUp'>
}

/** Creates the recorder that stores and reports answers. */
function createRecorder(started: StartedRun): Recorder {
  const { request, run, parts } = started
  const { listener, store } = request
  const total = request.project.selected.length
  const failedRows = new Map<string, CaseRecord>()
  let finished = 0
  let isExhausted = false
  let isGivenUp = false
  const answers = createAnswerRecorder(started)
  return {
    callbacks: {
      onAnswer: answers.record,
      onCase(result) {
        const record = answeredRow(
          baselineRecord(result.evaluation, result.position, parts.conditions, parts.recorder),
          result,
        )
        if (record.outcome !== 'passed') failedRows.set(record.caseId, record)
        store.recordCases(run.id, [record])
        listener({ kind: 'case_finished', record, done: ++finished, total })
      },
      onExhausted(error) {
        isExhausted = true
        listener({ kind: 'note', text: exhaustedText(error, started, answers.count()) })
      },
      onBusy(count) {
        const what = count === 1 ? '1 answer' : `${count} answers`
        listener({ kind: 'note', text: `the engine was busy: ${what} will be scored once more` })
      },
      onGivenUp() {
        isGivenUp = true
        const left = total - finished
        const unasked = left === 0 ? '' : `; ${left} of ${total} cases were not asked`
        const text = `the same error ${longestErrorStreak} times in a row: nothing more is asked, and nothing repaired${unasked}`
        listener({ kind: 'note', text })
      },
    },
    found: () => ({ failedRows, finished, isExhausted, isGivenUp }),
  }
}

interface AnswerRecorder {
  readonly record: NonNullable<BaselineInput<RepairTypes>['onAnswer']>
  /** Returns the number of answers so far, except those to failures that were asked again. */
  count(): number
}

function createAnswerRecorder({ request, run, parts, times, answered }: StartedRun): AnswerRecorder {
  const { listener, store, project } = request
  let done = answered
  return {
    count: () => done,
    record(evaluation, number) {
      if (number < times) done++
      const { testCase, score } = evaluation
      // A pass with a single answer is stored with the case itself, and a deterministic agent has no further
      // answers.
      if (parts.evaluator.agent.deterministic || (times === 1 && number === 0 && score.verdict !== 'fail'))
        return
      const fingerprint = fingerprintOf(testCase, parts.conditions, parts.recorder)
      const sample = sampleRecord(evaluation, parts.recorder)
      store.recordAnswer(run.id, { caseId: testCase.id, number, fingerprint, sample })
      if (times > 1 && number < times)
        listener({ kind: 'answered', done, total: project.selected.length * times })
    },
  }
}

function exhaustedText(error: AutotestError, { llm, request, times }: StartedRun, answered: number): string {
  const enough = llm?.requiredCallBudget({ cases: request.project.selected.length, times }, answered)
  const budget = enough === undefined ? '' : `; ${enough}`
  return `${error.message}: nothing is repaired (${error.hint})${budget}`
}

function answeredRow(row: CaseRecord, { flaky, answers }: BaselineCase<RepairTypes>): CaseRecord {
  const known = answers === undefined ? row : { ...row, answers }
  if (!flaky) return known
  const repeats = repeatStatisticsOf({ answers, label: 'flaky' })
  const cause = repeats?.passed
    ? formatAnswerCounts(repeats)
    : 'asked again with the same knowledge, it got another answer'
  return { ...known, label: 'flaky', cause }
}
