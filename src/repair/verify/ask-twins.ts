import { isCopy } from '../../contracts/agent-answer.js'
import { forEachConcurrent } from '../../run/for-each-concurrent.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { Evidence } from '../../store/record-types.js'
import type { RepairTypes } from '../model/diagnosis.js'
import type { Twin } from '../model/repair-domain.js'
import type { RepairInput } from '../model/repair-input.js'
import { alwaysPasses, evaluateOrThrow } from './evaluate-cases.js'

/** How many cases of a plan get twins. */
export const casesWithTwins = 4

export interface AskedTwins {
  readonly counted: Evidence['twins']
  /** Parameters that a twin varied, and those that one has to vary. */
  readonly varied: ReadonlySet<string>
  readonly toVary: ReadonlySet<string>
  /** For each twin that the agent had no answer to, the parameter whose value was changed in it. */
  readonly unanswered: readonly string[]
  /** Whether the cases have no value that a twin could vary. */
  readonly isConstant: boolean
}

type TwinOutcome = 'passed' | 'failed' | 'unanswered' | 'inconclusive'

/**
 * Evaluates the candidate on twins of the cases. A twin whose answer cannot be judged, for example in a year
 * without data, does not count: the next one replaces it.
 */
export async function askTwins<T extends RepairTypes>(
  cases: readonly T['case'][],
  snapshot: Snapshot,
  candidate: Snapshot,
  input: RepairInput<T>,
): Promise<AskedTwins> {
  const { domain, concurrency, signal } = input
  const outcomes = new Map<string, TwinOutcome>()
  for (;;) {
    const inconclusive = new Set(
      [...outcomes].flatMap(([id, outcome]) => (outcome === 'inconclusive' ? [id] : [])),
    )
    const {
      twins,
      toVary,
      isConstant = false,
    } = await domain.prover.twins(cases.slice(0, casesWithTwins), snapshot, candidate, inconclusive)
    const open = twins.filter(({ testCase }) => !outcomes.has(testCase.id))
    await forEachConcurrent(open, concurrency, signal, async ({ testCase }) => {
      outcomes.set(testCase.id, await twinOutcome(testCase, candidate, input))
    })
    const conclusive = twins.filter(({ testCase }) => outcomes.get(testCase.id) !== 'inconclusive')
    if (conclusive.length < twins.length && !signal.aborted) continue
    const having = (outcome: TwinOutcome): Twin<T>[] =>
      conclusive.filter(({ testCase }) => outcomes.get(testCase.id) === outcome)
    return {
      counted: { passed: having('passed').length, of: conclusive.length },
      varied: new Set(conclusive.map(({ parameter }) => parameter)),
      toVary,
      unanswered: having('unanswered').map(({ parameter }) => parameter),
      isConstant,
    }
  }
}

async function twinOutcome<T extends RepairTypes>(
  testCase: T['case'],
  candidate: Snapshot,
  input: RepairInput<T>,
): Promise<TwinOutcome> {
  const evaluation = await evaluateOrThrow(testCase, candidate, input)
  const { sample, score } = evaluation
  if (score.verdict === 'unproven' || isCopy(sample)) return 'inconclusive'
  if (input.domain.prover.isInconclusive?.(evaluation) === true) return 'inconclusive'
  if (sample.kind === 'no_answer' || sample.kind === 'unreadable') return 'unanswered'
  return (await alwaysPasses(testCase, candidate, input)) ? 'passed' : 'failed'
}
