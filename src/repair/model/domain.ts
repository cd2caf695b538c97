import type { Edit } from '../../edit/edit.js'
import type { Evaluation } from '../../run/evaluate.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { HeldOutScore, RepairCandidate } from './candidate.js'
import type { RepairTypes } from './diagnosis.js'
import type { ProposalRequest, Proposals, RepairPlan } from './plan.js'

/** Latest evaluations on the current knowledge, by case id; cases never asked are missing. */
export type Evaluations<T extends RepairTypes> = ReadonlyMap<string, Evaluation<T>>

/** A reason in the knowledge, the plan or a user's files against a plan. */
export interface Problem<T extends RepairTypes = RepairTypes> {
  readonly reason: string
  /** Why a case's expected answer is more likely wrong than the knowledge; undefined where it is not. */
  readonly suspect?: ((diagnosis: T['diagnosis']) => string | undefined) | undefined
}

/** Why a plan is not to be followed, whatever it would prove: it goes to a person. */
export interface Objection {
  readonly label: 'suspect_oracle' | 'wrong_definition'
  readonly cause: string
  /** Whether passing cases that ask for the same are told as well. */
  readonly withSiblings: boolean
}

/** A case like another one, with another value of one parameter in question and expected answer. */
export interface Twin<T extends RepairTypes = RepairTypes> {
  readonly testCase: T['case']
  readonly parameter: string
}

/** Twins that can tell a right repair from a wrong one, and every parameter that the questions name. */
export interface UsableTwins<T extends RepairTypes = RepairTypes> {
  readonly twins: readonly Twin<T>[]
  readonly named: ReadonlySet<string>
}

/** An earlier state of knowledge that serves the cases it is about. */
export interface Restoration<T extends RepairTypes = RepairTypes> {
  readonly plan: RepairPlan<T>
  readonly about: readonly T['diagnosis'][]
  readonly crossValidation: HeldOutScore
  /** Why it is the benchmark that should change, where somebody changed the knowledge on purpose. */
  readonly suspect?: string | undefined
}

/** Finds why cases fail. */
export interface Diagnoser<T extends RepairTypes> {
  diagnose(evaluation: Evaluation<T>, snapshot: Snapshot): T['diagnosis']
  /**
   * The diagnoses with what only several of them, or earlier files, tell.
   *
   * @param exhausted clusters whose plans were used up
   */
  relate?(
    diagnoses: readonly T['diagnosis'][],
    snapshot: Snapshot,
    exhausted: ReadonlySet<string>,
  ): T['diagnosis'][]
  /** A diagnosis that rules have no plan for, in a cluster that a model may be asked about. */
  forModel?(diagnosis: T['diagnosis'], snapshot: Snapshot): T['diagnosis']
  /** Whether a diagnosis still holds once a repair has changed some files. */
  outlives(
    diagnosis: T['diagnosis'],
    repair: { readonly subject: string; readonly paths: readonly string[] },
  ): boolean
}

/** Makes plans without a model. */
export interface RuleProposer<T extends RepairTypes> {
  propose(request: ProposalRequest<T>, snapshot: Snapshot): Proposals<T>
  /** Whether with a plan's snapshot the knowledge itself says what a case expects; nothing is asked for it. */
  resolvesToExpected(testCase: T['case'], candidate: Snapshot): boolean
  /** Of the cases of a cluster, those that show one of two faults alone; undefined where there is one fault. */
  withOneFault?(
    plan: RepairPlan<T>,
    diagnoses: readonly T['diagnosis'][],
  ): readonly T['diagnosis'][] | undefined
  /** Returns the plan with the original text of the files' author, where that has the same meaning. */
  rephrase?(
    plan: RepairPlan<T>,
    snapshot: Snapshot,
    isFromModel: boolean,
  ): Promise<{ readonly plan: RepairPlan<T>; readonly isRestored: boolean }>
}

/** Makes plans of what git has of the knowledge. */
export interface RestoreProposer<T extends RepairTypes> {
  /** Whether an earlier text is tried before the plans of the rules. */
  comesFirst(candidate: RepairCandidate<T>, snapshot: Snapshot): Promise<boolean>
  /** Whether nothing but an earlier state is tried for it. */
  only(diagnosis: T['diagnosis']): boolean
  /** Earlier states that serve the cases, newest first. */
  restorations(
    diagnoses: readonly T['diagnosis'][],
    snapshot: Snapshot,
    current: Evaluations<T>,
  ): AsyncIterable<Restoration<T>>
}

/** Validation of a plan, before the agent is asked. */
export interface Validator<T extends RepairTypes> {
  /** Throws `path_refused` where an edit may not write what it writes. */
  checkPlace(edit: Edit): void
  /** @param isFromModel whether it was made without the expected answers: it may hold anything then */
  check(
    plan: RepairPlan<T>,
    snapshot: Snapshot,
    candidate: Snapshot,
    isFromModel: boolean,
  ): Problem<T> | undefined
  objection?(plan: RepairPlan<T>, snapshot: Snapshot, isRestored: boolean): Promise<Objection | undefined>
}

/** Evidence for a plan beside the cases themselves. */
export interface Prover<T extends RepairTypes> {
  /**
   * Twins of the cases whose expected answer can be told from the original's; what asking the agent about them takes is
   * the caller's.
   *
   * @param inconclusive ids of twins whose answer nothing can judge
   */
  twins(
    cases: readonly T['case'][],
    snapshot: Snapshot,
    candidate: Snapshot,
    inconclusive: ReadonlySet<string>,
  ): Promise<UsableTwins<T>>
  /** How many twins are asked about at most. */
  mostTwins(diagnoses: readonly T['diagnosis'][]): number
  /** Whether a plan changes what may follow a parameter: twins must vary each then. */
  changesAnswers(plan: RepairPlan<T>, snapshot: Snapshot, candidate: Snapshot): boolean
  /** Returns why a wrong answer does not run, in words; undefined where it runs. */
  engineError?(evaluation: Evaluation<T>): string | undefined
  /** A value for which a model's plan is not what is expected, in words. */
  counterexample?(plan: RepairPlan<T>, snapshot: Snapshot, candidate: Snapshot): Promise<string | undefined>
  /** A model's plan without what its cases do without. */
  minimize?: PlanMinimizer<T> | undefined
  /** Ids of the entries that a plan edits, or that a plan for these diagnoses probably edits. */
  entriesEdited(plan: RepairPlan<T>): ReadonlySet<string>
  entriesConcerned(diagnoses: readonly T['diagnosis'][]): ReadonlySet<string>
}

export interface PlanMinimizer<T extends RepairTypes> {
  /** How often the agent is asked at most; 0 where nothing of the plan can go. */
  asks(plan: RepairPlan<T>, cases: readonly T['case'][], before: Snapshot, after: Snapshot): Promise<number>
  minimize(
    plan: RepairPlan<T>,
    cases: readonly T['case'][],
    before: Snapshot,
    after: Snapshot,
  ): Promise<RepairPlan<T>>
}

/** The assessment of evidence beyond its counts. */
export interface EvidenceReviewer<T extends RepairTypes> {
  /** Returns the parts of a plan that only one case supports, in words: another case is needed then. */
  concerns(plan: RepairPlan<T>, snapshot: Snapshot, candidate: Snapshot, isRestored: boolean): string[]
  /** Whether what a plan writes is what is expected, and does not only give the same. */
  isStructurallyEqual(
    plan: RepairPlan<T>,
    cases: readonly T['case'][],
    snapshot: Snapshot,
    candidate: Snapshot,
    after: Evaluations<T>,
  ): boolean
}

/** Texts of reports. */
export interface Explainer<T extends RepairTypes> {
  /** Returns the history of a plan, one clause each. */
  history?(plan: RepairPlan<T>, snapshot: Snapshot, candidate: Snapshot, isNew: boolean): Promise<string[]>
  /** Returns the texts of the knowledge base that contradict a verified plan. */
  warnings?(snapshot: Snapshot, candidate: Snapshot): string[]
  /** Ids of passing cases that ask for the same as a failing one and contradict it. */
  passingSiblings(diagnosis: T['diagnosis'], current: Evaluations<T>, snapshot: Snapshot): string[]
  /** Whether a case was answered from what the diagnosis is about. */
  sharesSubject(evaluation: Evaluation<T> | undefined, diagnosis: T['diagnosis'], snapshot: Snapshot): boolean
  /** Whether a question asks for its subject alone, so that passing cases of that can contradict it. */
  asksForSubjectAlone(diagnosis: T['diagnosis']): boolean
  /** Returns the subject of the passing cases: `metric dau`. */
  subjectOfPassing(diagnosis: T['diagnosis']): string
  /** How this domain calls several entries, and what its cases expect: "snippets", "expected query", "expected queries". */
  readonly words: { readonly entries: string; readonly expected: string; readonly expectedPlural: string }
}

/**
 * The contract for repairing a kind of case, by the steps of the loop: each part is asked in this order. A second domain is
 * another value of this type; nothing else of `repair/` knows what a case is about.
 */
export interface RepairDomain<T extends RepairTypes> {
  readonly diagnoser: Diagnoser<T>
  readonly rules: RuleProposer<T>
  /** Absent: nothing is known of earlier states. */
  readonly restore?: RestoreProposer<T> | undefined
  readonly validator: Validator<T>
  readonly prover: Prover<T>
  readonly reviewer: EvidenceReviewer<T>
  readonly explainer: Explainer<T>
}
