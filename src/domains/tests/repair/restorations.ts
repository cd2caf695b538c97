import { caseOf } from '../../../repair/model/diagnosis.js'
import type { Restoration } from '../../../repair/model/repair-domain.js'
import type { RepairPlan } from '../../../repair/model/repair-plan.js'
import { readText, type Snapshot } from '../../../snapshot/snapshot.js'
import type { SessionPool } from '../python-sessions.js'
import type { TestsDiagnosis, TestsTypes } from '../tests-domain-types.js'
import type { ToolCase } from '../tool-case.js'
import { createScriptFitness } from './script-fitness.js'
import { searchScriptRepairs } from './search-repair.js'

/** A former text of a script. */
export interface FormerText {
  readonly text: string
  /** `commit 1a2b3c4`, or `an uncommitted change`: what changed it. */
  readonly by: string
}

export interface RestorationContext {
  /** Every case, among them the probes of the tools. */
  readonly benchmark: readonly TestsTypes['case'][]
  /** Sessions whose workspace is empty. */
  readonly sessions: SessionPool
  /** Returns former texts of a file, newest first; none without git. */
  readonly formerTexts: (path: string) => Promise<readonly FormerText[]>
  readonly onNote: (text: string) => void
  readonly signal: AbortSignal
}

/** How many found texts are proved: each takes every case that called the tool. */
const mostProved = 3

/**
 * Yields texts of a faulty script with which all its probes pass: its last good ones from git, newest first, then those
 * that small changes give. What has no probes is proved by its cases alone.
 */
export async function* scriptRestorations(
  diagnoses: readonly TestsDiagnosis[],
  snapshot: Snapshot,
  context: RestorationContext,
): AsyncGenerator<Restoration<TestsTypes>, void> {
  const [script] = diagnoses.map(({ cluster }) => cluster)
  const text = script === undefined ? undefined : readText(snapshot, script)
  if (script === undefined || text === undefined) return
  const probes = context.benchmark.filter(
    (each): each is ToolCase => each.kind === 'tool' && each.script === script,
  )
  const fitness = createScriptFitness(probes, context.sessions, context.signal)
  const former = await context.formerTexts(script)
  const tried = new Set([text])
  for (const { text: earlier, by } of former) {
    if (tried.has(earlier)) continue
    tried.add(earlier)
    if (probes.length > 0 && (await fitness.wrongFields(earlier, 0)) === undefined) continue
    yield restoration(planOf(script, text, earlier, diagnoses, by), diagnoses)
  }
  if (probes.length === 0) return
  context.onNote(`no former text of ${script} serves: small changes of it are searched for`)
  const found = await searchScriptRepairs(text, probes, fitness)
  for (const changed of found.slice(0, mostProved)) {
    if (tried.has(changed)) continue
    yield {
      plan: planOf(script, text, changed, diagnoses, undefined),
      about: diagnoses,
      crossValidation: { passed: 0, of: 0 },
    }
  }
}

function restoration(
  plan: RepairPlan<TestsTypes>,
  diagnoses: readonly TestsDiagnosis[],
): Restoration<TestsTypes> {
  // A former text was made without any of the cases: each but one is held out.
  const others = Math.max(0, diagnoses.length - 1)
  return { plan, about: diagnoses, crossValidation: { passed: others, of: others } }
}

function planOf(
  script: string,
  text: string,
  now: string,
  diagnoses: readonly TestsDiagnosis[],
  by: string | undefined,
): RepairPlan<TestsTypes> {
  const [first] = diagnoses
  const subject = first?.subject ?? `tool ${script}`
  return {
    label: 'tool_fault',
    subject,
    title: by === undefined ? `${subject}: ${changedLine(text, now)}` : `${subject}: as it was before ${by}`,
    reasoning: first?.cause ?? '',
    edits: [{ kind: 'edit_tool', path: script, search: text, replace: now }],
    cases: diagnoses.map(caseOf<TestsTypes>),
    goldExposed: by === undefined,
    size: Math.abs(now.length - text.length) + 1,
    signature: now,
    ...(by === undefined ? {} : { isRestored: true as const }),
  }
}

/** Returns the first line that is another, in short. */
function changedLine(before: string, after: string): string {
  const had = new Set(before.split('\n'))
  const line = after.split('\n').find((each) => !had.has(each))
  const words = line?.trim().replace(/,$/, '') ?? 'a line is left out'
  return words.length > 70 ? `${words.slice(0, 69)}…` : words
}
