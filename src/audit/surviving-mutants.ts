import { runAndCompare } from '../compare/outcomes/run-and-compare.js'
import type { Engine, QueryOutcome } from '../engine/contract/engine.js'
import { forEachConcurrent } from '../run/for-each-concurrent.js'
import { areEquivalent } from '../sql/index.js'
import { type AuditContext, type AuditedCase, comparisonInput } from './audited-case.js'
import type { MutantCounts } from './finding.js'
import type { Mutant, Mutants } from './mutants.js'

type Rows = Extract<QueryOutcome, { kind: 'rows' }>

export interface MutantsAudit {
  readonly counts: MutantCounts
  /** In the order of the mutants, as are `equivalent`. */
  readonly surviving: readonly Mutant[]
  readonly equivalent: readonly Mutant[]
}

type MutantStatus = Exclude<keyof MutantCounts, 'tried' | 'leftOut'>

/**
 * A mutant that multiplies rows is stopped after this many times the expected query's time, and at least five
 * seconds.
 */
const timeoutFactor = 50
const leastMs = 5000

/** Runs the mutants of a case and returns those that nothing distinguishes from the expected query. */
export async function auditMutants(
  subject: AuditedCase,
  { mutants, leftOut }: Mutants,
  expected: Rows,
  context: AuditContext,
): Promise<MutantsAudit> {
  const fates = new Map<Mutant, MutantStatus>()
  await forEachConcurrent(mutants, context.concurrency, context.signal, async (mutant, at) => {
    // Short queries do not make a database's process pool grow, so two of them are used.
    const engine = at % 2 === 0 ? subject.engine : subject.other
    fates.set(mutant, await classifyMutant(subject, engine, mutant, expected, context))
  })
  const count = (fate: MutantStatus): number => [...fates.values()].filter((other) => other === fate).length
  return {
    counts: {
      tried: fates.size,
      toldApart: count('toldApart'),
      byCopies: count('byCopies'),
      equivalent: count('equivalent'),
      surviving: count('surviving'),
      undecided: count('undecided'),
      leftOut,
    },
    surviving: mutants.filter((mutant) => fates.get(mutant) === 'surviving'),
    equivalent: mutants.filter((mutant) => fates.get(mutant) === 'equivalent'),
  }
}

/**
 * Classifies a mutant.
 *
 * @param engine that runs the mutant; only one of the two makes copies
 */
async function classifyMutant(
  subject: AuditedCase,
  engine: Engine,
  mutant: Mutant,
  expected: Rows,
  context: AuditContext,
): Promise<MutantStatus> {
  const { limits, parser } = context
  const timeoutMs = Math.min(limits.timeoutMs, Math.max(leastMs, timeoutFactor * expected.ms))
  const finding = await runAndCompare({
    ...comparisonInput({ ...subject, engine }, mutant.sql, context),
    limits: { ...limits, timeoutMs },
    expectedOutcome: () => Promise.resolve(expected),
  })
  if (finding.kind === 'generated_failed') return finding.how === 'killed' ? 'undecided' : 'toldApart'
  // The expected result is complete, so a truncated one has other rows.
  if (finding.kind !== 'match') return 'toldApart'
  const { schema, sql } = subject
  if (areEquivalent(parser, sql, mutant.sql, engine.dialect, { schema })) return 'equivalent'
  const copies = await context.copies.compare(subject.engine, comparisonInput(subject, mutant.sql, context))
  return copies?.kind === 'refuted' || copies?.kind === 'fails' ? 'byCopies' : 'surviving'
}
