import type { Edit } from '../../edit/edit-types.js'
import type { Evaluation } from '../../run/evaluate-case.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import type { QuestionDraft } from '../../store/question-types.js'
import type { HeldOutScore, RepairCandidate } from './candidate.js'
import type { RepairTypes } from './diagnosis.js'
import type { ProposalRequest, Proposals, RepairPlan } from './repair-plan.js'

/** Latest evaluations with the current knowledge, by case id; cases that were never asked are missing. */
export type Evaluations<T extends RepairTypes> = ReadonlyMap<string, Evaluation<T>>

/** A reason against a plan: in the knowledge, the plan itself or a user's files. */
export interface Problem<T extends RepairTypes = RepairTypes> {
  readonly reason: string
  /** Whether the reason is the decision of a person, in a sentence of its own. */
  readonly isDecision?: boolean | undefined
  /** Returns why a case's expected answer is more likely wrong than the knowledge; undefined if it is not. */
  readonly suspect?: ((diagnosis: T['diagnosis']) => string | undefined) | undefined
}

/** Why a plan must not be applied, whatever its evidence: it is left to a person. */
export interface Objection {
  readonly label: 'suspect_oracle' | 'wrong_definition' | 'conflicting_intent'
  readonly cause: string
  /**
   * Asked of people, with both sides: the plan is verified all the same, and held for them to accept. Absent: the
   * cause says all, and nothing is verified.
   */
  readonly question?: QuestionDraft | undefined
  /** Whether passing cases about the same subject are listed as well. */
  readonly withSiblings: boolean
}

/** A case like another one, with another value of one parameter in question and expected answer. */
export interface Twin<T extends RepairTypes = RepairTypes> {
  readonly testCase: T['case']
  readonly parameter: string
}

/** Twins that distinguish a right repair from a wrong one. */
export interface UsableTwins<T extends RepairTypes = RepairTypes> {
  readonly twins: readonly Twin<T>[]
  /** Parameters that twins have to vary: the questions name them, and the cases themselves have one value of each. */
  readonly toVary: ReadonlySet<string>
  /** Whether neither question nor expected answer has a value that could be another one. */
  readonly isConstant?: boolean | undefined
}

/** An earlier state of knowledge with which cases pass. */
export interface Restoration<T extends RepairTypes = RepairTypes> {
  readonly plan: RepairPlan<T>
  readonly about: readonly T['diagnosis'][]
  readonly crossValidation: HeldOutScore
}

/** A plan that makes its change in further entries as well, and what to tell about them. */
export interface Siblings<T extends RepairTypes = RepairTypes> {
  readonly plan: RepairPlan<T>
  /** Which entries, which of them no case asks for, and which were left out and why; one clause each. */
  readonly remarks: readonly string[]
}

/** Finds why cases fail. */
export interface Diagnoser<T extends RepairTypes> {
  diagnose(evaluation: Evaluation<T>, snapshot: Snapshot): T['diagnosis']
  /**
   * Completes the diagnoses with what only several of them, or earlier files, show.
   *
   * @param exhausted clusters whose plans were all tried
   */
  relate?(
    diagnoses: readonly T['diagnosis'][],
    snapshot: Snapshot,
    exhausted: ReadonlySet<string>,
  ): T['diagnosis'][]
  /** Assigns a diagnosis that rules have no plan for to a cluster that a model may be asked about. */
  forModel?(diagnosis: T['diagnosis'], snapshot: Snapshot): T['diagnosis']
  /** Reports whether a diagnosis is still valid after a repair has changed some files. */
  outlives(
    diagnosis: T['diagnosis'],
    repair: { readonly subject: string; readonly paths: readonly string[] },
  ): boolean
}

/** Seeks plans by running candidates. */
export interface PlanSearch<T extends RepairTypes> {
  /** Reports whether the best of these plans is as small as a search would find one. */
  isSmallEnough(plans: readonly RepairPlan<T>[], snapshot: Snapshot): boolean
  plans(request: ProposalRequest<T>, snapshot: Snapshot): Promise<Proposals<T>>
}

/** Makes plans without a model. */
export interface RuleProposer<T extends RepairTypes> {
  propose(request: ProposalRequest<T>, snapshot: Snapshot): Proposals<T>
  /** Makes plans by trying changes and running what comes of them; absent: nothing is sought. */
  readonly search?: PlanSearch<T> | undefined
  /**
   * Reports whether the knowledge itself, with a plan's snapshot, gives what a case expects; no agent is
   * asked.
   */
  resolvesToExpected(diagnosis: T['diagnosis'], candidate: Snapshot): boolean
  /**
   * Returns the ids of the cases whose expected results the knowledge itself gives with a plan's snapshot, however
   * they are written; no agent is asked.
   */
  givesResultsOf?(cases: readonly T['case'][], candidate: Snapshot): Promise<ReadonlySet<string>>
  /** Returns the cases of a cluster that show only one of two faults; undefined if there is one fault. */
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

/** Makes plans from the git history of the knowledge. */
export interface RestoreProposer<T extends RepairTypes> {
  /** Reports whether an earlier text is tried before the plans of the rules. */
  comesFirst(candidate: RepairCandidate<T>, snapshot: Snapshot): Promise<boolean>
  /** Reports whether only earlier states are tried for a diagnosis. */
  only(diagnosis: T['diagnosis']): boolean
  /** Yields earlier states with which the cases pass, newest first. */
  restorations(
    diagnoses: readonly T['diagnosis'][],
    snapshot: Snapshot,
    current: Evaluations<T>,
  ): AsyncIterable<Restoration<T>>
  /**
   * Extends a plan that takes a change back to the other entries that the change treated in the same way;
   * undefined if there are none, or if the plan takes no change back.
   */
  siblings?(plan: RepairPlan<T>, snapshot: Snapshot): Promise<Siblings<T> | undefined>
}

/** Validation of a plan, before the agent is asked. */
export interface Validator<T extends RepairTypes> {
  /** Throws `path_refused` if an edit writes to a place where it must not. */
  checkPlace(edit: Edit): void
  /**
   * Returns the problems of a plan.
   *
   * @param isFromModel whether it was made without the expected answers: its content is then unconstrained
   */
  check(
    plan: RepairPlan<T>,
    snapshot: Snapshot,
    candidate: Snapshot,
    isFromModel: boolean,
  ): Problem<T> | undefined
  objection?(plan: RepairPlan<T>, snapshot: Snapshot, isRestored: boolean): Promise<Objection | undefined>
}

/** Evidence for a plan besides the cases themselves. */
export interface Prover<T extends RepairTypes> {
  /**
   * Returns twins of the cases whose expected answer differs from the original's; the caller reserves the
   * budget for asking the agent about them.
   *
   * @param inconclusive ids of twins whose answer cannot be judged
   */
  twins(
    cases: readonly T['case'][],
    snapshot: Snapshot,
    candidate: Snapshot,
    inconclusive: ReadonlySet<string>,
  ): Promise<UsableTwins<T>>
  /** Returns the maximal number of twins that are asked. */
  mostTwins(diagnoses: readonly T['diagnosis'][]): number
  /**
   * Reports whether a plan changes text that may depend on a parameter: then twins must vary each parameter.
   */
  changesAnswers(plan: RepairPlan<T>, snapshot: Snapshot, candidate: Snapshot): boolean
  /** Reports whether a wrong answer to a twin shows nothing about the value that was changed in it. */
  isInconclusive?(evaluation: Evaluation<T>): boolean
  /** Returns why a wrong answer does not run, in words; undefined if it runs. */
  engineError?(evaluation: Evaluation<T>): string | undefined
  /** Describes a value for which a model's plan does not give what is expected. */
  counterexample?(plan: RepairPlan<T>, snapshot: Snapshot, candidate: Snapshot): Promise<string | undefined>
  /** Removes from a model's plan what its cases do not need. */
  minimize?: PlanMinimizer<T> | undefined
  /** Returns the ids of the entries that a plan edits, or that a plan for these diagnoses probably edits. */
  entriesEdited(plan: RepairPlan<T>): ReadonlySet<string>
  entriesConcerned(diagnoses: readonly T['diagnosis'][]): ReadonlySet<string>
}

export interface PlanMinimizer<T extends RepairTypes> {
  /** Returns the maximal number of agent calls; 0 if nothing of the plan can be removed. */
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
  concerns(
    plan: RepairPlan<T>,
    snapshot: Snapshot,
    candidate: Snapshot,
    isRestored: boolean,
    current: Evaluations<T>,
  ): string[]
  /** Reports whether a plan's text equals what is expected in structure, rather than in its results only. */
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
  /** Returns a text in which changes are named so that people know them: by date and subject. */
  nameChanges?(text: string): Promise<string>
  /** Returns the change right before which a failing case passed, `commit 1a2b3c4`; undefined if none was found so far. */
  beganToFailWith?(testCase: T['case']): string | undefined
  /** Returns the history of a plan, one clause each. */
  history?(plan: RepairPlan<T>, snapshot: Snapshot, candidate: Snapshot, isNew: boolean): Promise<string[]>
  /** Returns the texts of the knowledge base that contradict a verified plan. */
  warnings?(snapshot: Snapshot, candidate: Snapshot): string[]
  /** Returns the ids of passing cases that ask for the same as a failing one and contradict it. */
  passingSiblings(diagnosis: T['diagnosis'], current: Evaluations<T>, snapshot: Snapshot): string[]
  /** Reports whether a case was answered from the subject of the diagnosis. */
  sharesSubject(evaluation: Evaluation<T> | undefined, diagnosis: T['diagnosis'], snapshot: Snapshot): boolean
  /**
   * Reports whether a question asks for its subject without further words, so that passing cases of it can
   * contradict it.
   */
  asksForSubjectAlone(diagnosis: T['diagnosis']): boolean
  /** Returns the subject of the passing cases: `metric dau`. */
  subjectOfPassing(diagnosis: T['diagnosis']): string
  /**
   * The domain's terms for several entries, and for what its cases expect: "snippets", "expected query",
   * "expected queries".
   */
  readonly words: { readonly entries: string; readonly expected: string; readonly expectedPlural: string }
}

/**
 * The contract for repairing a kind of case, by the steps of the loop: the parts are called in this order. A
 * second domain is another value of this type; nothing else in `repair/` depends on what a case is about.
 */
export interface RepairDomain<T extends RepairTypes> {
  readonly diagnoser: Diagnoser<T>
  readonly rules: RuleProposer<T>
  /** Absent: earlier states are not available. */
  readonly restore?: RestoreProposer<T> | undefined
  readonly validator: Validator<T>
  readonly prover: Prover<T>
  readonly reviewer: EvidenceReviewer<T>
  readonly explainer: Explainer<T>
}
