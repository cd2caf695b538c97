import type { SqlCase } from '../../../../../benchmark/case.js'
import type { SqlScore } from '../../../../../compare/model/sql-score.js'
import type { Edit } from '../../../../../edit/edit-types.js'
import { contentWords } from '../../../../../kb/words/content-words.js'
import { evaluateOrThrow, isPass } from '../../../../../repair/verify/evaluate-cases.js'
import { forEachConcurrent } from '../../../../../run/for-each-concurrent.js'
import type { Snapshot } from '../../../../../snapshot/snapshot.js'
import { formatOf, knowledgeBaseOf, snippetOf } from '../../model/repair-context.js'
import type { ScoringContext } from '../../model/scoring-context.js'
import type { RepairPlan, SqlEvaluation, SqlTypes } from '../../model/sql-repair-types.js'
import { applyPlan } from '../../model/sql-repair-types.js'
import { scoreKnowledge } from '../score-knowledge-query.js'
import type { PieceGroup, PlanPart } from './plan-part.js'
import { splitPlan } from './split-plan.js'

/** How many passes over all removable pieces are made. */
const maxRounds = 2

/**
 * Returns the maximal number of agent calls for finding the pieces of a plan that its cases need; 0 if
 * nothing can be removed.
 */
export async function estimateMinimizationCalls(
  plan: RepairPlan,
  cases: readonly SqlCase[],
  before: Snapshot,
  after: Snapshot,
  context: ScoringContext,
): Promise<number> {
  const parts = splitPlan(plan.edits, before, after, context)
  const units = removalGroups(parts)
  if (units.length < 2) return 0
  const said = await scoreCases(cases, after, context)
  let open = 0
  for (const { part, together } of units) {
    const kept = parts.map(allOf)
    for (const piece of together) kept[part]?.delete(piece)
    const candidate = candidateOf(editsOf(parts, kept), plan, before)
    if (candidate !== undefined && (await scoresAsWell(said, candidate, context))) open++
  }
  return open === 0 ? 0 : (maxRounds * open + 1) * cases.length
}

/**
 * Returns the plan without pieces that its cases do not need: a model may return the right edit and another
 * one that no case tests, and verifying both together does not verify the second. Each piece is left out in
 * turn, and stays out if the cases pass with the same confidence; layout is kept. A title that describes the
 * metric's query may stay: nothing else would keep the two consistent.
 *
 * @param cases the cases that it is made for, and those held out while it was made
 */
export async function minimizePlan(
  plan: RepairPlan,
  cases: readonly SqlCase[],
  before: Snapshot,
  after: Snapshot,
  context: ScoringContext,
): Promise<RepairPlan> {
  const parts = splitPlan(plan.edits, before, after, context)
  const units = removalGroups(parts)
  const layout = keepLayout(plan, parts, before, after)
  if (units.length < 2) return layout
  const whole = await answers(cases, after, context)
  if (plan.cases.some(({ id }) => !isPass(whole.get(id)))) return layout
  const served = cases.filter(({ id }) => isPass(whole.get(id)))
  const said = await scoreCases(served, after, context)
  const kept = parts.map(allOf)
  let current = after
  let edits = layout.edits
  // A piece that was needed beside a removed one may not be needed any more.
  for (let round = 0, left = -1; round < maxRounds && left !== sizeOf(kept); round++) {
    left = sizeOf(kept)
    for (const { part, together, after: gone } of units) {
      const open = together.filter((piece) => kept[part]?.has(piece))
      if (gone.some((piece) => kept[part]?.has(piece))) continue
      if (open.length === 0 || (round > 0 && open.length < together.length)) continue
      for (const piece of open) kept[part]?.delete(piece)
      const fewer = editsOf(parts, kept)
      const candidate = candidateOf(fewer, plan, before)
      if (
        fewer !== undefined &&
        candidate !== undefined &&
        (await scoresAsWell(said, candidate, context)) &&
        (await agentPassesAsWell(served, candidate, whole, context))
      ) {
        edits = fewer
        current = candidate
      } else for (const piece of open) kept[part]?.add(piece)
    }
  }
  if (edits === layout.edits) return layout
  const titles = plan.edits.filter(
    (edit) => !edits.includes(edit) && describesChange(edit, before, current, context),
  )
  return withMinimizationNote(plan, [...edits, ...titles])
}

/**
 * Returns the plan with the original white space of the files where it changes only that; unchanged if that
 * is impossible.
 */
function keepLayout(
  plan: RepairPlan,
  parts: readonly PlanPart[],
  before: Snapshot,
  after: Snapshot,
): RepairPlan {
  const same = { ...plan, edits: editsOf(parts, parts.map(allOf)) ?? [] }
  const candidate = candidateOf(same.edits, plan, before)
  return candidate === undefined || candidate.hash === after.hash ? plan : same
}

function sizeOf(kept: readonly ReadonlySet<number>[]): number {
  return kept.reduce((sum, { size }) => sum + size, 0)
}

function allOf({ pieces }: PlanPart): Set<number> {
  return new Set(Array.from({ length: pieces }, (_, at) => at))
}

/**
 * Returns groups of pieces to remove together, from the last part to the first: an edit depends on those
 * before it.
 */
function removalGroups(parts: readonly PlanPart[]): (PieceGroup & { readonly part: number })[] {
  const single = (part: PlanPart): PieceGroup[] =>
    [...allOf(part)].reverse().map((piece) => ({ together: [piece], after: [] }))
  return parts
    .flatMap((each, part) => (each.groups ?? single(each)).map((unit) => ({ ...unit, part })))
    .sort((a, b) => b.part - a.part)
}

function editsOf(
  parts: readonly PlanPart[],
  kept: readonly ReadonlySet<number>[],
): readonly Edit[] | undefined {
  const edits = parts.map((part, at) => part.edits(kept[at] ?? new Set()))
  return edits.every((each) => each !== undefined) ? edits.flat() : undefined
}

function candidateOf(
  edits: readonly Edit[] | undefined,
  plan: RepairPlan,
  before: Snapshot,
): Snapshot | undefined {
  return edits === undefined || edits.length === 0 ? undefined : applyPlan({ ...plan, edits }, before)
}

/** Scores what the knowledge base gives for each case; cases that do not pass are left out. */
async function scoreCases(
  cases: readonly SqlCase[],
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<ReadonlyMap<SqlCase, number>> {
  const found = new Map<SqlCase, number>()
  for (const testCase of cases) {
    const score = await scoreKnowledge(testCase, snapshot, context)
    if (score?.verdict === 'pass') found.set(testCase, confidenceOf(score))
  }
  return found
}

/**
 * Reports whether each case passes with the same confidence with a candidate. It is tested before the agent
 * is asked: it costs nothing, and most candidates make no valid query at all.
 */
async function scoresAsWell(
  said: ReadonlyMap<SqlCase, number>,
  candidate: Snapshot,
  context: ScoringContext,
): Promise<boolean> {
  for (const [testCase, known] of said) {
    if (context.signal.aborted) return false
    const score = await scoreKnowledge(testCase, candidate, context)
    if (score?.verdict !== 'pass' || confidenceOf(score) < known) return false
  }
  return true
}

async function answers(
  cases: readonly SqlCase[],
  snapshot: Snapshot,
  context: ScoringContext,
): Promise<ReadonlyMap<string, SqlEvaluation>> {
  const found = new Map<string, SqlEvaluation>()
  await forEachConcurrent(cases, context.concurrency, context.signal, async (testCase) => {
    found.set(testCase.id, await evaluateOrThrow<SqlTypes>(testCase, snapshot, context))
  })
  return found
}

/** How strong the evidence for a pass is; higher is stronger. */
const confidenceRank = { structure: 3, results: 2, judge: 1 } as const

async function agentPassesAsWell(
  cases: readonly SqlCase[],
  candidate: Snapshot,
  whole: ReadonlyMap<string, SqlEvaluation>,
  context: ScoringContext,
): Promise<boolean> {
  for (const testCase of cases) {
    if (context.signal.aborted) return false
    const now = await evaluateOrThrow<SqlTypes>(testCase, candidate, context)
    if (!isPass(now) || confidenceOf(now.score) < confidenceOf(whole.get(testCase.id)?.score)) return false
  }
  return true
}

function confidenceOf(score: SqlScore | undefined): number {
  return score?.by === undefined ? 0 : confidenceRank[score.by]
}

/** Reports whether an edit adds words of a changed query to the title of its metric, and removes none. */
function describesChange(edit: Edit, before: Snapshot, after: Snapshot, context: ScoringContext): boolean {
  const change = formatOf(context).slotEditOf(edit)
  if (change?.slot.kind !== 'title' || typeof change.value !== 'string') return false
  const kb = knowledgeBaseOf(after, context)
  const metric = kb.metrics.find(({ path, id }) => path === edit.path && id === change.entry)
  const snippet = metric && snippetOf(metric, kb)
  if (metric === undefined || snippet === undefined) return false
  if (knowledgeBaseOf(before, context).snippets.get(snippet.name)?.text === snippet.text) return false
  const words = new Set(contentWords(change.value))
  const known = new Set([...contentWords(metric.title), ...contentWords(snippet.text)])
  return (
    contentWords(metric.title).every((word) => words.has(word)) && [...words].every((word) => known.has(word))
  )
}

function withMinimizationNote(plan: RepairPlan, edits: readonly Edit[]): RepairPlan {
  const files = [...new Set(plan.edits.map(({ path }) => path))].join(', ')
  return {
    ...plan,
    edits,
    reasoning: `${plan.reasoning}; parts that its cases do not need were removed from the model's edit (${files})`,
    size: JSON.stringify(edits).length,
  }
}
