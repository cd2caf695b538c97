import { runBoth } from '../compare/run-both.js'
import type { QueryOutcome } from '../engine/engine.js'
import { schedule } from '../run/schedule.js'
import { compareQueries } from '../sql/compare.js'
import { type MutantCounts, noMutants } from './finding.js'
import type { Mutant } from './mutants.js'
import { type AuditContext, comparison, type Subject } from './subject.js'

type Rows = Extract<QueryOutcome, { kind: 'rows' }>

export interface MutantsAudit {
  readonly counts: MutantCounts
  /** In the order of `mutants`. */
  readonly surviving: readonly Mutant[]
}

type Fate = Exclude<keyof MutantCounts, 'tried'>

/** A mutant that multiplies rows is not waited for: this many times the expected query's time, at least two seconds. */
const patience = 20
const leastMs = 2000

/** Runs the mutants of a case and tells which of them nothing tells apart from the expected query. */
export async function auditMutants(
  subject: Subject,
  mutants: readonly Mutant[],
  expected: Rows,
  context: AuditContext,
): Promise<MutantsAudit> {
  const fates = new Map<Mutant, Fate>()
  await schedule(mutants, context.concurrency, context.signal, async (mutant) => {
    fates.set(mutant, await fateOf(subject, mutant, expected, context))
  })
  const count = (fate: Fate): number => [...fates.values()].filter((other) => other === fate).length
  return {
    counts: {
      ...noMutants,
      tried: fates.size,
      toldApart: count('toldApart'),
      byCopies: count('byCopies'),
      equivalent: count('equivalent'),
      surviving: count('surviving'),
      undecided: count('undecided'),
    },
    surviving: mutants.filter((mutant) => fates.get(mutant) === 'surviving'),
  }
}

async function fateOf(
  subject: Subject,
  mutant: Mutant,
  expected: Rows,
  context: AuditContext,
): Promise<Fate> {
  const { limits, parser } = context
  const timeoutMs = Math.min(limits.timeoutMs, Math.max(leastMs, patience * expected.ms))
  const finding = await runBoth({
    ...comparison(subject, mutant.sql, context),
    limits: { ...limits, timeoutMs },
    expectedOutcome: () => Promise.resolve(expected),
  })
  if (finding.kind === 'generated_failed') return finding.how === 'killed' ? 'undecided' : 'toldApart'
  // The expected result is whole, so that a cut one has other rows.
  if (finding.kind !== 'match') return 'toldApart'
  const { engine, schema, sql } = subject
  const structure = compareQueries(parser, sql, mutant.sql, engine.dialect, { schema })
  return structure.kind === 'equal' ? 'equivalent' : 'surviving'
}
