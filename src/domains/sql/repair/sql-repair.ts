import type { RepairDomain } from '../../../repair/model/repair-domain.js'
import { seenOnlyOnCopies } from './decide/seen-only-on-copies.js'
import { checkSingleExample } from './decide/single-example-checks.js'
import { isStructurallyEqual } from './decide/structural-equality.js'
import { diagnose } from './diagnose/diagnose.js'
import { diagnosisOutlives } from './diagnose/diagnosis-still-valid.js'
import { knownBreakingChange } from './model/breaking-change.js'
import { casesWithResults } from './model/cases-with-results.js'
import { changesSql } from './model/changed-choices.js'
import { repairWarnings } from './model/documentation-warnings.js'
import { isRestoreCluster } from './model/git-restore-cluster-key.js'
import { regionGivesExpected } from './model/region-values.js'
import { describeRestorations } from './model/removed-lines.js'
import { formatOf, knowledgeBaseOf, resolvesToExpected } from './model/repair-context.js'
import type { ScoringContext } from './model/scoring-context.js'
import type { SqlTypes } from './model/sql-repair-types.js'
import { wasFileEmptied } from './propose/git-restore/emptied-file.js'
import { preferOriginalText } from './propose/git-restore/prefer-original-text.js'
import { restorationsFromGit } from './propose/git-restore/restore-from-git.js'
import { isUndoneFirst } from './propose/git-restore/undo-breaking-change.js'
import { assignModelCluster } from './propose/llm/model-clusters.js'
import { stripAddedComments } from './propose/llm/strip-added-comments.js'
import { withoutDefaults } from './propose/rules/cases-without-defaults.js'
import { proposeByRules } from './propose/rules/propose-by-rules.js'
import { isNarrow, searchPlans } from './propose/search/search-plans.js'
import { readsSameMetric, similarPassingCases } from './record/contradicting-cases.js'
import { nameCommits } from './record/name-commits.js'
import { relateDiagnoses } from './relate-diagnoses.js'
import { describeJointChange, findChangedExpectedQuery } from './validate/changed-expected-query.js'
import { checkPlan } from './validate/check-plan.js'
import { conflictingIntent } from './validate/conflicting-intent.js'
import { checkLiteralData } from './validate/literal-data-check.js'
import { withSiblingChanges } from './validate/sibling-changes.js'
import { checkPlaceOf } from './validate/source-places.js'
import { findCounterexampleValue } from './verify/counterexample-values.js'
import { entriesConcerned, entriesEdited } from './verify/edited-entries.js'
import { estimateMinimizationCalls, minimizePlan } from './verify/minimize/minimize-plan.js'
import { isRefutedByNothing } from './verify/twins/twin-distinguisher.js'
import { mostTwins, usableTwins } from './verify/twins/usable-twins.js'

export interface SqlRepairContext extends ScoringContext {
  /** Ids of cases the user named: never held out while proposing. */
  readonly named: ReadonlySet<string>
  /** Ids of cases that are followed whatever people wrote about the knowledge; absent: none. */
  readonly followBenchmark?: ReadonlySet<string> | undefined
}

/** Creates the steps of the repair loop for the knowledge of a text-to-SQL agent. */
export function createSqlRepair(context: SqlRepairContext): RepairDomain<SqlTypes> {
  return {
    diagnoser: {
      diagnose: (evaluation, snapshot) => diagnose(evaluation, snapshot, context),
      relate: (diagnoses, snapshot, exhausted) => relateDiagnoses(diagnoses, snapshot, context, exhausted),
      forModel: (diagnosis, snapshot) =>
        assignModelCluster(diagnosis, knowledgeBaseOf(snapshot, context), context),
      outlives: diagnosisOutlives,
    },
    rules: {
      propose: (request, snapshot) => proposeByRules(request, snapshot, context),
      search: {
        isSmallEnough: isNarrow,
        plans: (request, snapshot) => searchPlans(request, snapshot, context),
      },
      resolvesToExpected: ({ evaluation, region }, candidate) =>
        region === undefined
          ? resolvesToExpected(evaluation.testCase, candidate, context)
          : regionGivesExpected(evaluation, region, candidate, context),
      givesResultsOf: (cases, candidate) => casesWithResults(cases, candidate, context),
      withOneFault: (plan, diagnoses) => withoutDefaults(plan, diagnoses, context),
      rephrase: (plan, snapshot, isFromModel) =>
        preferOriginalText(
          isFromModel ? stripAddedComments(plan, snapshot, context) : plan,
          snapshot,
          context,
        ),
    },
    restore: {
      comesFirst: async (candidate, snapshot) =>
        (await wasFileEmptied(candidate, snapshot, context)) ||
        (await isUndoneFirst(candidate, snapshot, context)),
      only: isRestoreCluster,
      restorations: (diagnoses, snapshot, current) =>
        restorationsFromGit(diagnoses, snapshot, {
          ...context,
          current,
          propose: (request, on) => proposeByRules(request, on, context),
        }),
      siblings: (plan, snapshot) => withSiblingChanges(plan, snapshot, context),
    },
    validator: {
      checkPlace: (edit) => checkPlaceOf(edit, context),
      check: (plan, snapshot, candidate, isFromModel) =>
        checkPlan(plan, snapshot, candidate, isFromModel, context),
      async objection(plan, snapshot, isRestored) {
        const cause = await findChangedExpectedQuery(plan, snapshot, isRestored, context)
        if (cause !== undefined) return { label: 'suspect_oracle', cause, withSiblings: true }
        const isFollowed = plan.cases.some(({ id }) => context.followBenchmark?.has(id))
        const conflict = isFollowed ? undefined : await conflictingIntent(plan, snapshot, context)
        if (conflict !== undefined) return { ...conflict, label: 'conflicting_intent', withSiblings: false }
        const problem = await checkLiteralData(plan, snapshot, context)
        return problem && { ...problem, withSiblings: false }
      },
    },
    prover: {
      twins: (cases, snapshot, candidate, untold) => usableTwins(cases, snapshot, candidate, untold, context),
      mostTwins,
      changesAnswers: (plan, snapshot, candidate) =>
        plan.edits.some((edit) => formatOf(context).slotEditOf(edit) === undefined) ||
        changesSql(plan, snapshot, candidate, context),
      isInconclusive: ({ score: { results } }) => results !== undefined && isRefutedByNothing(results),
      engineError: ({ score: { results } }) =>
        results?.kind === 'generated_failed' ? results.message : undefined,
      counterexample: (plan, snapshot, candidate) =>
        findCounterexampleValue(plan, snapshot, candidate, context),
      minimize: {
        asks: (plan, cases, before, after) => estimateMinimizationCalls(plan, cases, before, after, context),
        minimize: (plan, cases, before, after) => minimizePlan(plan, cases, before, after, context),
      },
      entriesEdited: (plan) => entriesEdited(plan, context),
      entriesConcerned,
    },
    reviewer: {
      concerns: (plan, snapshot, candidate, isRestored, current) => [
        ...(isRestored ? [] : seenOnlyOnCopies(plan.cases, current)),
        ...checkSingleExample(plan, snapshot, candidate, isRestored, context),
      ],
      isStructurallyEqual: (plan, cases, snapshot, candidate, after) =>
        isStructurallyEqual(plan, cases, snapshot, candidate, after, context),
    },
    explainer: {
      nameChanges: (text) => nameCommits(text, context),
      beganToFailWith(testCase) {
        const change = knownBreakingChange(testCase, context)
        return change?.passedBefore === true ? change.by : undefined
      },
      async history(plan, snapshot, candidate, isNew) {
        const kb = knowledgeBaseOf(snapshot, context)
        return [
          // What it takes back is told already.
          ...(plan.undoesBreak === true ? [] : describeRestorations(plan, snapshot, candidate, kb, context)),
          ...(isNew ? await describeJointChange(plan, snapshot, context) : []),
        ]
      },
      warnings: (snapshot, candidate) => repairWarnings(snapshot, candidate, context),
      passingSiblings: (diagnosis, current, snapshot) =>
        similarPassingCases(diagnosis, current.values(), snapshot, context),
      sharesSubject: (evaluation, diagnosis, snapshot) =>
        readsSameMetric(evaluation, diagnosis, snapshot, context),
      asksForSubjectAlone: ({ interpretation }) => interpretation.kind === 'bound',
      subjectOfPassing: ({ interpretation: { metric }, subject }) =>
        metric === undefined ? subject : `metric ${metric.name}`,
      words: { entries: 'snippets', expected: 'expected query', expectedPlural: 'expected queries' },
    },
  }
}
