import { textEdits } from '../../../../../edit/line-edits.js'
import { asProseEdits } from '../../../../../edit/prose-edits.js'
import { AutotestError } from '../../../../../errors.js'
import { applyRegionEdits } from '../../../../../kb/entries/apply-region-edit.js'
import { entriesOf } from '../../../../../kb/parse.js'
import { readText, type Snapshot } from '../../../../../snapshot/snapshot.js'
import { regionTemplate } from '../../model/region-values.js'
import { expectedSqlFor, knowledgeBaseOf, type RepairContext } from '../../model/repair-context.js'
import type { Diagnosis, ProposalRequest, Proposals, RepairPlan } from '../../model/sql-repair-types.js'
import { type EntryTask, toReason } from './entry-task.js'
import { proposeSnippets, type SnippetProposal } from './snippet-proposals.js'

/**
 * Proposes plans that change a query in a note, or a snippet, so that what the agent makes of it is equivalent to the
 * expected queries: what the agent put in place of its values is what a parameter is elsewhere.
 */
export function proposeRegionFix(
  request: ProposalRequest,
  region: NonNullable<Diagnosis['region']>,
  snapshot: Snapshot,
  context: RepairContext,
): Proposals {
  const task = regionTask(request, region, snapshot, context)
  if (task === undefined)
    return { plans: [], abstained: `the answers are no copies of the query at ${region.path}:${region.line}` }
  const { parser, dialect } = context
  const { proposals, abstained } = proposeSnippets({ parser, dialect, ...task })
  const plans = proposals.flatMap((proposal) => task.planOf(proposal) ?? [])
  if (plans.length === 0 && proposals.length > 0)
    return { plans, abstained: `the query at ${region.path}:${region.line} cannot be written in its place` }
  return abstained === undefined ? { plans } : { plans, abstained }
}

/** Returns the query in a text that all answers were copied from; undefined if one of them is no copy. */
export function regionTask(
  request: ProposalRequest,
  region: NonNullable<Diagnosis['region']>,
  snapshot: Snapshot,
  context: RepairContext,
): EntryTask | undefined {
  const { path, name } = region
  const evaluations = request.diagnoses.map(({ evaluation }) => evaluation)
  const template = regionTemplate(region, evaluations, context)
  const before = readText(snapshot, path)
  if (template === undefined || before === undefined) return undefined
  const examples = evaluations.flatMap(({ testCase }, at) => {
    const expectedSql = expectedSqlFor(testCase, context)
    const bindings = template.bindings[at] ?? []
    const schema = context.schemaOf?.(testCase)
    return expectedSql === undefined ? [] : [{ caseId: testCase.id, expectedSql, bindings, schema }]
  })
  const metric = { id: name, name, title: name, aliases: [], snippet: path, parameters: new Map(), path }
  const snippet = { id: name, name, text: template.text, path }
  const isNote = knowledgeBaseOf(snapshot, context).notes.some((note) => note.path === path)
  const planOf = (proposal: SnippetProposal): RepairPlan | undefined => {
    const after = withRegion(region, template.restore(proposal.text), before, snapshot)
    if (after === undefined) return undefined
    const edits = textEdits(path, before, after)
    const explanation = proposal.explanation.map(template.restore)
    return {
      label: 'wrong_definition',
      subject: request.subject,
      title: template.restore(proposal.title),
      reasoning: `every failing expected query ${explanation.map(toReason).join(', and ')}, and the answers are copies of the query at ${path}:${region.line}`,
      edits: isNote || region.isEntry === true ? asProseEdits(edits) : edits,
      cases: evaluations.map(({ testCase }) => testCase),
      goldExposed: true,
      size: proposal.changedTokens,
      signature: [...explanation].sort().join('; '),
    }
  }
  return { metric, snippet, examples, planOf }
}

/** Returns the text of a file with another query in a region, as its format writes it; undefined if it cannot. */
function withRegion(
  region: NonNullable<Diagnosis['region']>,
  query: string,
  file: string,
  snapshot: Snapshot,
): string | undefined {
  if (region.isEntry !== true) return file.slice(0, region.start) + query + file.slice(region.end)
  const opened = entriesOf(snapshot)
  const entry = opened.entries.find(({ id }) => id === region.key)
  if (entry === undefined) return undefined
  try {
    return readText(applyRegionEdits(snapshot, [opened.encode(entry, query)]), region.path)
  } catch (error) {
    if (error instanceof AutotestError && error.code === 'edit_conflict') return undefined
    throw error
  }
}
