import { type GateDraft, type GateOption, type GateRecord, isOpen } from '../../store/gate-rows.js'
import type { Decision, RunDetail } from '../../store/record-types.js'
import type { RunStore } from '../../store/store.js'

/** What a run hands over to people, as gates that can be answered later. */
const options: Readonly<
  Record<'conflicting_intent' | 'suspect_oracle' | 'held_plan' | 'held_repairs', readonly GateOption[]>
> = {
  conflicting_intent: [
    {
      choice: 'A',
      answer: 'follow_benchmark',
      text: 'The benchmark is right: the next run repairs the knowledge',
    },
    {
      choice: 'B',
      answer: 'follow_knowledge',
      text: 'The knowledge is right: you replace the expected queries',
    },
  ],
  suspect_oracle: [
    { choice: 'A', answer: 'benchmark_wrong', text: 'The expected answer is wrong: you correct it' },
    { choice: 'B', answer: 'leave', text: 'Leave it as it is' },
  ],
  held_plan: [
    { choice: 'A', answer: 'apply', text: 'Write the repairs of the dry run' },
    { choice: 'B', answer: 'reject', text: 'Reject them: later runs do not propose them again' },
  ],
  held_repairs: [
    { choice: 'A', answer: 'keep', text: 'Keep the repairs in the working tree: you commit them' },
    { choice: 'B', answer: 'revert', text: 'Revert them' },
  ],
}

export interface RunGates {
  /** Of the project, absolute. */
  readonly root: string
  readonly store: RunStore
  readonly now: Date
}

/**
 * Opens a gate for everything that a run hands over to people, and closes those of earlier runs that this one has settled. What is open, or was answered,
 * is not asked again.
 */
export function openRunGates(detail: RunDetail, decision: Decision, { root, store, now }: RunGates): void {
  const drafts = draftsOf(detail, decision, root)
  const known = store.gates.ofProject(root).filter(({ source }) => source === 'run')
  const asked = new Set(detail.cases.map(({ caseId }) => caseId))
  store.together(() => {
    for (const gate of known)
      if (isOpen(gate, now) && isSettled(gate, drafts, asked, detail.run.id)) {
        store.gates.answer(gate.id, 'settled', now)
        store.gates.finish(gate.id, now)
      }
    for (const draft of drafts)
      if (!known.some((gate) => isSame(gate, draft, now))) store.gates.open(draft, now)
  })
}

/** Returns the cases for which people answered that the benchmark is right, and nothing was done yet. */
export function casesToFollow({
  root,
  store,
}: RunGates): readonly { readonly gate: GateRecord; readonly cases: readonly string[] }[] {
  return store.gates
    .ofProject(root)
    .filter(({ answer, doneAt }) => answer === 'follow_benchmark' && doneAt === undefined)
    .map((gate) => ({
      gate,
      cases:
        store
          .runDetail(gate.owner)
          ?.questions?.find(({ subject }) => subject === gate.subject)
          ?.cases.map(({ id }) => id) ?? [],
    }))
}

function draftsOf(
  { run, cases, attempts, questions = [] }: RunDetail,
  decision: Decision,
  root: string,
): readonly GateDraft[] {
  const base = { root, source: 'run' as const, owner: run.id }
  const conflicts = questions.map(({ subject, question, change, statements, cases: sides }) => ({
    ...base,
    ...{ kind: 'conflicting_intent', subject, question, options: options.conflicting_intent },
    details: [
      ...(change === undefined
        ? []
        : [`changed by ${change.by}${change.subject === undefined ? '' : ` "${change.subject}"`}`]),
      ...statements.slice(0, 3).map(({ text, place }) => `${place}: "${text}"`),
      `cases ${sides.map(({ id }) => id).join(', ')}`,
    ],
  }))
  const suspects = cases
    .filter(
      ({ label, outcome }) => label === 'suspect_oracle' && outcome !== 'passed' && outcome !== 'repaired',
    )
    .map(({ caseId, cause, file, line, sample }) => ({
      ...base,
      ...{ kind: 'suspect_oracle', subject: caseId, options: options.suspect_oracle },
      question: `is the expected answer of ${caseId} right?`,
      details: [cause ?? sample.reason, `${file}:${line}`],
    }))
  const repairs = attempts
    .filter(({ outcome }) => outcome === 'accepted')
    .map(({ id, title }) => `${id}  ${title}`)
  const kind = run.mode === 'dry_run' ? 'held_plan' : 'held_repairs'
  const held =
    decision === 'pending' && repairs.length > 0
      ? [
          {
            ...base,
            ...{ kind, subject: `run ${run.id}`, details: repairs, options: options[kind] },
            question:
              run.mode === 'dry_run'
                ? 'shall the planned repairs be written?'
                : 'shall the repairs in the working tree stay?',
          },
        ]
      : []
  return [...conflicts, ...suspects, ...held]
}

/** The same question, still open, or answered as long as nothing else is asked. */
function isSame(gate: GateRecord, draft: GateDraft, now: Date): boolean {
  const isAlike = gate.kind === draft.kind && gate.subject === draft.subject
  if (!isAlike || gate.answer === 'settled') return false
  return isOpen(gate, now) || (gate.answer !== undefined && String(gate.details) === String(draft.details))
}

/** Whether a run shows that a question of an earlier one asks for nothing any more. */
function isSettled(
  gate: GateRecord,
  drafts: readonly GateDraft[],
  asked: ReadonlySet<string>,
  runId: string,
): boolean {
  if (gate.kind === 'suspect_oracle')
    return (
      asked.has(gate.subject) &&
      !drafts.some(({ kind, subject }) => kind === gate.kind && subject === gate.subject)
    )
  if (gate.kind === 'conflicting_intent') {
    const names = /^cases (.*)$/m.exec(gate.details.join('\n'))?.[1]?.split(', ') ?? []
    return (
      names.every((name) => asked.has(name)) &&
      !drafts.some(({ kind, subject }) => kind === gate.kind && subject === gate.subject)
    )
  }
  // A plan is made for the knowledge as it was: a later run makes its own.
  return gate.owner !== runId && drafts.some(({ kind }) => kind === gate.kind)
}
