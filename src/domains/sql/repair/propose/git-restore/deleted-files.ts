import { isBlank } from '../../../../../edit/apply-edits.js'
import type { Edit } from '../../../../../edit/edit-types.js'
import { type KnowledgeBase, type Metric, namedSnippets } from '../../../../../kb/entry.js'
import type { SlotEdit } from '../../../../../kb/entry-slots.js'
import { containsWords } from '../../../../../kb/words/contains-words.js'
import { createSnapshot, type Snapshot, withFiles } from '../../../../../snapshot/snapshot.js'
import { phrasesCovering } from '../../model/question-phrases.js'
import {
  formatOf,
  interpretationOf,
  knowledgeBaseOf,
  type RepairContext,
  renderEdits,
  snippetOf,
} from '../../model/repair-context.js'
import type { RestoreContext } from '../../model/scoring-context.js'
import type { Diagnosis, RepairPlan } from '../../model/sql-repair-types.js'
import { applyPlan } from '../../model/sql-repair-types.js'
import { casesPassingWith, createRestorePlan, type RestoreOption } from './restore-option.js'

/** A file of the knowledge base that was deleted or emptied and that git still has. */
interface DeletedFile {
  readonly path: string
  /** The text that the deleting change removed. */
  readonly text: string
}

/** How many former texts of a deleted file are tried: each may run a query for each case. */
const maxVersions = 3

/**
 * How many deleted files with words of one question are tried: each is read together with the whole knowledge
 * base.
 */
const maxFiles = 5

const keyPrefix = 'restore:file:'

const deletedFilesBySnapshot = new WeakMap<Snapshot, readonly DeletedFile[]>()

/** Returns deleted metrics and snippets, the last deleted first. */
function deletedFiles(snapshot: Snapshot, context: RepairContext): readonly DeletedFile[] {
  const { removedLines = [], kbFolder } = context
  const { file: creationOf } = formatOf(context).creation
  const known = deletedFilesBySnapshot.get(snapshot)
  if (known !== undefined) return known
  const files = new Map<string, { readonly by: string; readonly lines: string[] }>()
  for (const { path, text, by } of removedLines) {
    const bytes = snapshot.files.get(path)
    if ((bytes !== undefined && !isBlank(bytes)) || creationOf(path, '', kbFolder) === undefined) continue
    const file = files.get(path) ?? { by, lines: [] }
    files.set(path, file)
    // Lines that older changes removed were not in the file when it was deleted.
    if (file.by === by) file.lines.push(text)
  }
  const lost = [...files]
    .map(([path, { lines }]) => ({ path, text: `${lines.join('\n')}\n` }))
    .filter((file) => !wasMoved(file, snapshot, context))
  deletedFilesBySnapshot.set(snapshot, lost)
  return lost
}

/** Reports whether everything that a file declared is in other files today: it was moved, not deleted. */
function wasMoved({ path, text }: DeletedFile, snapshot: Snapshot, context: RepairContext): boolean {
  const alone = createSnapshot(new Map([[path, new TextEncoder().encode(text)]]))
  const [declared, today] = [alone, snapshot].map(
    (each) => new Set(knowledgeBaseOf(each, context).metrics.map(({ id }) => id)),
  )
  return declared !== undefined && declared.size > 0 && [...declared].every((id) => today?.has(id))
}

/**
 * Assigns an unexplained diagnosis to the cluster of a deleted file with which the question would have an
 * answer: the metric that its words name, or the snippet of its metric. Of several, the last deleted that was
 * not tried yet.
 */
export function assignDeletedFileCluster(
  diagnosis: Diagnosis,
  snapshot: Snapshot,
  context: RepairContext,
  givenUp: ReadonlySet<string>,
): Diagnosis {
  const { cluster, evaluation, interpretation } = diagnosis
  if (cluster !== undefined || interpretation.kind !== 'unbound') return diagnosis
  const { testCase } = evaluation
  const words = phrasesCovering(testCase.question, interpretation.leftovers)
  const broken = knowledgeBaseOf(snapshot, context).broken.find(({ id }) => id === interpretation.metric?.id)
  const snippet = broken?.snippet === undefined ? undefined : snippetPath(broken.snippet, context)
  const file = deletedFiles(snapshot, context)
    .filter(({ path, text }) => path === snippet || words.some((word) => containsWords(text, word)))
    .slice(0, maxFiles)
    .find((each) => {
      if (givenUp.has(keyPrefix + each.path)) return false
      const kb = knowledgeBaseOf(snapshotWithFile(each, snapshot, context), context)
      const meaning = interpretationOf(testCase, kb, context)
      if (meaning.kind !== 'bound') return false
      return each.path === snippet || meaning.metric.path === each.path
    })
  if (file === undefined) return diagnosis
  return {
    ...diagnosis,
    cluster: keyPrefix + file.path,
    cause: `${diagnosis.cause}; ${file.path} was deleted`,
  }
}

/** Returns the knowledge base with the file, and with the snippet that it names if that was deleted, too. */
function snapshotWithFile(file: DeletedFile, snapshot: Snapshot, context: RepairContext): Snapshot {
  const bytes = ({ path, text }: DeletedFile) => [path, new TextEncoder().encode(text)] as const
  const after = withFiles(snapshot, new Map([bytes(file)]))
  const missing = missingSnippet(file.path, after, context)
  const snippet = deletedFiles(snapshot, context).find(({ path }) => path === missing)
  return snippet === undefined ? after : withFiles(after, new Map([bytes(snippet)]))
}

function snippetPath(name: string, context: RepairContext): string {
  return formatOf(context).creation.queryPath(name, context.kbFolder)
}

/** Returns the deleted file of the diagnoses' cluster, if it is one of a deleted file. */
export function deletedFileOf(diagnoses: readonly Diagnosis[]): string | undefined {
  const key = diagnoses[0]?.cluster
  return key?.startsWith(keyPrefix) === true ? key.slice(keyPrefix.length) : undefined
}

/** Yields former contents of a deleted file, newest first, with the cases that each makes pass. */
export async function* deletedFileOptions(
  path: string,
  diagnoses: readonly Diagnosis[],
  snapshot: Snapshot,
  input: RestoreContext,
): AsyncGenerator<RestoreOption, void> {
  const states = (await input.history?.versionsOf(path)) ?? []
  for (const [index, { text }] of states.slice(0, maxVersions).entries()) {
    const creation = formatOf(input).creation.file(path, text, input.kbFolder)
    if (text.trim() === '' || creation === undefined) continue
    const undoes = states.slice(0, index + 1).map(({ by }) => by)
    const renamed = await renamedSnippetStrategies({ path, text }, undoes, snapshot, input)
    const back = await recreateFileStrategies(creation, undoes, snapshot, input)
    for (const way of [...renamed, ...back]) {
      const after = applyPlan(way, snapshot)
      const metric = after && metricWith(way.path, diagnoses, after, input)
      if (after === undefined || metric === undefined) continue
      const served = await casesPassingWith(after, metric, diagnoses, input)
      const about = diagnoses.filter(({ evaluation }) => served.has(evaluation.testCase.id))
      if (about.length > 0)
        yield { plan: planOf(way, metric, about), after, metric, undoes: way.undoes, passingCases: served }
    }
  }
}

/** One way to restore the content of a deleted file. */
interface RestoreStrategy {
  readonly path: string
  /** What happened, as a clause after the metric's name. */
  readonly what: string
  /** The evidence from git, as the beginning of a sentence. */
  readonly why: string
  readonly edits: readonly Edit[]
  readonly undoes: readonly string[]
}

/**
 * Returns new names for a snippet that was renamed and that its metrics still reference by the former name: a
 * snippet with the same text, then those added by the change that deleted it. A snippet that existed before
 * and that a metric uses belongs to that metric.
 */
async function renamedSnippetStrategies(
  lost: DeletedFile,
  undoes: readonly string[],
  snapshot: Snapshot,
  input: RestoreContext,
): Promise<RestoreStrategy[]> {
  const kb = knowledgeBaseOf(snapshot, input)
  const [deletion = ''] = undoes
  const changed = (await input.history?.knowledgeChangedBy(deletion)) ?? []
  const brought = new Set(changed.flatMap(({ path, before }) => (before === undefined ? path : [])))
  const read = namedSnippets(kb)
  const all = [...kb.snippets.values()].filter(({ name, path }) => !read.has(name) || brought.has(path))
  const same = all.filter(({ text }) => text.trim() === lost.text.trim()).slice(0, 1)
  const edited = all.filter(({ name, path }) => !read.has(name) && brought.has(path)).slice(0, maxFiles)
  const ways = [...new Set([...same, ...edited])].map((now): RestoreStrategy => {
    const why = same.includes(now)
      ? `${now.path} has the text of its snippet from before ${undoes.at(-1) ?? ''}; with it`
      : `${deletion} added ${now.path} and deleted ${lost.path}; with ${now.path}`
    const edits = renameEdits(lost.path, now.name, kb, snapshot, input)
    return { path: now.path, what: `its snippet was renamed to ${now.name}`, why, edits, undoes }
  })
  return ways.filter(({ edits }) => edits.length > 0)
}

/** Gives the metrics with a dangling reference the snippet's new name. */
function renameEdits(
  path: string,
  name: string,
  { broken }: KnowledgeBase,
  snapshot: Snapshot,
  context: RepairContext,
): Edit[] {
  const edits = broken.flatMap(({ metric, snippet }): SlotEdit[] => {
    if (metric === undefined || snippet === undefined || snippetPath(snippet, context) !== path) return []
    const slot = { kind: 'query_name' } as const
    return [{ path: metric.path, entry: metric.id, slot, action: 'set', expected: snippet, value: name }]
  })
  return renderEdits(edits, snapshot, context)
}

/**
 * Returns the edits that restore the file; a metric needs its snippet, so that is restored as well: the
 * newest version with which a case passes.
 */
async function recreateFileStrategies(
  creation: Edit,
  undoes: readonly string[],
  snapshot: Snapshot,
  input: RestoreContext,
): Promise<RestoreStrategy[]> {
  const { path } = creation
  const why = `with ${path} as it was before ${undoes.at(-1) ?? ''}`
  const after = applyPlan({ edits: [creation] }, snapshot)
  const lost = after && missingSnippet(path, after, input)
  if (lost === undefined) return [{ path, what: `${path} was deleted`, why, edits: [creation], undoes }]
  const states = (await input.history?.versionsOf(lost)) ?? []
  return states.slice(0, maxVersions).flatMap(({ text, by }, index): RestoreStrategy[] => {
    const query = formatOf(input).creation.file(lost, text, input.kbFolder)
    if (text.trim() === '' || query === undefined) return []
    const all = [...new Set([...undoes, ...states.slice(0, index + 1).map((state) => state.by)])]
    return [
      {
        path,
        what: `${lost} and ${path} were deleted`,
        why: by === undoes.at(-1) ? why : `${why} and ${lost} as it was before ${by}`,
        edits: [query, creation],
        undoes: all,
      },
    ]
  })
}

/** Returns the path of the snippet that the metric in a file names and that does not exist. */
function missingSnippet(path: string, snapshot: Snapshot, context: RepairContext): string | undefined {
  const { broken, snippets } = knowledgeBaseOf(snapshot, context)
  const named = broken.find(({ metric }) => metric?.path === path)?.snippet
  return named === undefined || snippets.has(named) ? undefined : snippetPath(named, context)
}

/**
 * Returns the metric that one of the questions refers to once the file is restored; several can share a
 * snippet.
 */
function metricWith(
  path: string,
  diagnoses: readonly Diagnosis[],
  after: Snapshot,
  context: RepairContext,
): Metric | undefined {
  const kb = knowledgeBaseOf(after, context)
  return diagnoses
    .flatMap(({ evaluation }) => interpretationOf(evaluation.testCase, kb, context).metric ?? [])
    .find((metric) => metric.path === path || snippetOf(metric, kb)?.path === path)
}

function planOf(
  { what, why, edits }: RestoreStrategy,
  metric: Metric,
  about: readonly Diagnosis[],
): RepairPlan {
  const label = about[0]?.label ?? 'missing_definition'
  const title = `${metric.name}: ${what}`
  const gives = `${metric.name} returns what the expected ${about.length === 1 ? 'query returns' : 'queries return'}`
  return createRestorePlan({ label, title, reasoning: `${why}, ${gives}`, edits }, metric, about)
}
