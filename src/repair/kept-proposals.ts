import type { Snapshot } from '../snapshot/snapshot.js'
import type { RepairInput } from './input.js'
import type { Diagnosis, Proposals } from './plan.js'
import { proposeByRules } from './propose.js'

/** What the rules propose for diagnoses, worked out once for each group of them. */
export class ProposalCache {
  /** With the diagnosis of their first case, which is made anew when the knowledge about it changes. */
  private readonly known = new WeakMap<Diagnosis, Map<string, Proposals>>()
  private readonly input: RepairInput

  constructor(input: RepairInput) {
    this.input = input
  }

  of(diagnoses: readonly Diagnosis[], snapshot: Snapshot): Proposals {
    const [first] = diagnoses
    if (first === undefined || !this.input.rules) return { plans: [] }
    const known = this.known.get(first) ?? new Map<string, Proposals>()
    this.known.set(first, known)
    const key = diagnoses.map(({ evaluation }) => evaluation.testCase.id).join('\0')
    const { label, subject } = first
    const proposals = known.get(key) ?? proposeByRules({ label, subject, diagnoses }, snapshot, this.input)
    known.set(key, proposals)
    return proposals
  }
}
