import type { Catalogue, Engine, QueryLimits, QueryOutcome } from '../engine/contract/engine.js'
import type { Dialect } from '../enums/dialect.js'
import type { KnowledgeEntry } from '../kb/entries/entry-format.js'
import type { Entries } from '../kb/entries/open-entries.js'
import { placeholdersIn } from '../kb/entries/sql-parts.js'
import { canonicalForm, type SqlParser, translateSql } from '../sql/index.js'
import type { LintFinding } from './finding.js'
import { missingName } from './missing-names.js'

/** How an engine judges entries: it runs them, binds them only, or knows the names of a catalogue file alone. */
export interface EntryJudge {
  readonly engine: Engine
  readonly how: 'run' | 'bind' | 'names'
}

export interface EntryContext {
  readonly parser: SqlParser
  readonly dialect: Dialect
  /** Undefined: entries are parsed only. */
  readonly judge: EntryJudge | undefined
  readonly limits: QueryLimits
  readonly signal: AbortSignal
}

/** How far entries were checked; each entry counts once. */
export interface EntryCounts {
  readonly entries: number
  readonly ran: number
  readonly bound: number
  readonly parsedOnly: number
  /** Words: checked for links and names, not as SQL. */
  readonly prose: number
}

export interface EntryReport {
  readonly counts: EntryCounts
  readonly findings: readonly LintFinding[]
}

/** Most rows that are read of a query whose rows nobody looks at. */
const fewRows = 1000
/** A query with more names that do not exist is about another database. */
const mostMissing = 8

type Judged = { readonly state: 'ran' | 'bound' | 'parsedOnly'; readonly findings: readonly LintFinding[] }

/** Parses each entry, and lets the database judge it as far as it may. */
export async function checkEntries(
  { entries, skipped }: Entries,
  context: EntryContext,
): Promise<EntryReport> {
  const catalogue = await context.judge?.engine.catalogue()
  const counts = { entries: entries.length, ran: 0, bound: 0, parsedOnly: 0, prose: 0 }
  const findings: LintFinding[] = skipped.map(({ path, line, why }) => ({
    rule: 'skipped_region',
    severity: 'warning',
    path,
    line,
    column: 1,
    message: `not read: ${why}`,
  }))
  for (const entry of entries) {
    if (context.signal.aborted) break
    if (!isSql(entry)) {
      counts.prose++
      continue
    }
    const judged = await judgeEntry(entry, catalogue, context)
    counts[judged.state]++
    findings.push(...judged.findings)
  }
  return { counts, findings: [...findings, ...duplicateQuestions(entries, context)] }
}

function isSql({ kind }: KnowledgeEntry): boolean {
  return kind === 'query' || kind === 'expression' || kind === 'condition'
}

async function judgeEntry(
  entry: KnowledgeEntry,
  catalogue: Catalogue | undefined,
  context: EntryContext,
): Promise<Judged> {
  const { dialect, parser, judge } = context
  // A fragment has no table of its own, and a statement that is no query is never run.
  if (entry.kind !== 'query' || entry.readOnly === 'it is no query')
    return { state: 'parsedOnly', findings: [] }
  const isTemplate = placeholdersIn(entry.text).length > 0
  const sql = isTemplate ? withoutPlaceholders(entry.text) : entry.text
  const parsed = parser.parse(sql, dialect)
  // What the engine itself reads is no fault, whatever this program's parser says.
  const isLeftToEngine = judge !== undefined && judge.how !== 'names' && judge.engine.dialect === dialect
  if (parsed.kind === 'unparsable' && !isLeftToEngine) {
    if (isTemplate) return { state: 'parsedOnly', findings: [] }
    const line = entry.line + (parsed.line ?? 1) - 1
    const message = `cannot be parsed: ${parsed.message.split('\n')[0] ?? ''}`
    return { state: 'parsedOnly', findings: [findingAt(entry, 'sql_unparsable', message, undefined, line)] }
  }
  if (judge === undefined || catalogue === undefined) return { state: 'parsedOnly', findings: [] }
  const findings: LintFinding[] = []
  let text = sql
  for (let count = 0; count < mostMissing; count++) {
    const outcome = await asked(text, judge, isTemplate, context)
    if (outcome === undefined) return { state: 'parsedOnly', findings }
    if (outcome.kind === 'rows') {
      const state = findings.length > 0 || isTemplate || judge.how !== 'run' ? 'bound' : 'ran'
      return { state, findings }
    }
    if (outcome.kind === 'killed')
      return {
        state: 'bound',
        findings: [...findings, findingAt(entry, 'sql_slow', `was stopped: ${outcome.message}`, undefined)],
      }
    const missing = missingName(text, outcome.message, catalogue)
    if (missing === undefined) {
      // What fails after a name was replaced, or with a value in place of a placeholder, says nothing.
      const isOwn = findings.length === 0 && !isTemplate && judge.how !== 'names'
      if (isOwn)
        findings.push(
          findingAt(entry, 'sql_fails', `does not run: ${outcome.message.split('\n')[0] ?? ''}`, undefined),
        )
      return { state: findings.length > 0 ? 'bound' : 'parsedOnly', findings }
    }
    const { name, kind, hint, offset, without } = missing
    const line = entry.line + text.slice(0, offset).split('\n').length - 1
    findings.push(
      findingAt(
        entry,
        'unknown_name',
        `${kind} ${name} does not exist`,
        hint && `${hint[0]?.toUpperCase()}${hint.slice(1)}.`,
        line,
      ),
    )
    if (without === undefined || catalogue.isPartial === true) break
    text = without
  }
  return { state: 'bound', findings }
}

/** Asks the database; undefined if the query cannot be written in its dialect. */
async function asked(
  sql: string,
  { engine, how }: EntryJudge,
  isTemplate: boolean,
  { dialect, limits }: EntryContext,
): Promise<QueryOutcome | undefined> {
  const text = sql.replace(/;\s*$/, '')
  const carried =
    dialect === engine.dialect
      ? ({ kind: 'sql', sql: text } as const)
      : await translateSql(text, dialect, engine.dialect)
  if (carried.kind === 'failed') return undefined
  return how === 'run' && !isTemplate
    ? engine.query(carried.sql, { ...limits, rows: Math.min(limits.rows, fewRows) })
    : engine.explain(carried.sql, limits)
}

/** A value may stand wherever a placeholder does; within quotes it is a text already. */
function withoutPlaceholders(text: string): string {
  return placeholdersIn(text).reduce(
    (sql, placeholder) =>
      sql.split(placeholder).reduce((done, part) => `${done}${isInQuotes(done) ? 'x' : 'NULL'}${part}`),
    text,
  )
}

function isInQuotes(before: string): boolean {
  return ((before.match(/'/g)?.length ?? 0) & 1) === 1
}

function findingAt(
  { path, line }: KnowledgeEntry,
  rule: LintFinding['rule'],
  message: string,
  hint: string | undefined,
  at = line,
): LintFinding {
  const severity = rule === 'sql_slow' ? 'warning' : 'error'
  return { rule, severity, path, line: at, column: 1, message, hint }
}

/** One question with two different queries answers differently from day to day. */
function duplicateQuestions(
  entries: readonly KnowledgeEntry[],
  { parser, dialect }: EntryContext,
): LintFinding[] {
  const first = new Map<string, KnowledgeEntry>()
  return entries.flatMap((entry): LintFinding[] => {
    const key = wordsOf(entry.question ?? '')
    if (key === '' || entry.kind !== 'query') return []
    const other = first.get(key)
    if (other === undefined) {
      first.set(key, entry)
      return []
    }
    const [one, two] = [other, entry].map(({ text }) => formOf(text, parser, dialect))
    if (one === two) return []
    const message = `the question "${entry.question}" has another query at ${other.path}:${other.line}`
    const { path, line } = entry
    const hint = 'Keep one of the two, or say in the questions how they differ.'
    return [{ rule: 'duplicate_question', severity: 'warning', path, line, column: 1, message, hint }]
  })
}

function formOf(sql: string, parser: SqlParser, dialect: Dialect): string {
  return canonicalForm(parser, sql, dialect) ?? sql.replaceAll(/\s+/g, ' ').trim()
}

/** Ignores letter case, white space and punctuation. */
function wordsOf(text: string): string {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join(' ')
}
