import type { RowDifference } from '../../../../../compare/model/sql-score.js'
import type { Value } from '../../../../../engine/contract/engine.js'
import type { KnowledgeBase } from '../../../../../kb/entry.js'
import { placeholdersOf } from '../../../../../kb/question-entries.js'
import type { ModelRequest } from '../../../../../repair/model/model-proposer.js'
import { readText } from '../../../../../snapshot/snapshot.js'
import { type RepairContext, snippetOf } from '../../model/repair-context.js'
import type { Diagnosis, SqlTypes } from '../../model/sql-repair-types.js'

/** An example of the `repairer` role's input and required output. */
export const repairerExample = {
  variables: {
    dialect: 'sqlite',
    label: 'wrong definition',
    subject: 'metric orders',
    cases: [
      {
        question: 'orders in November 2025',
        sql: 'SELECT count(*) FROM orders',
        error: '',
        answer: '',
        differences: 'filter missing',
        rows: ['expected [1], got [2]'],
        expected: '',
      },
    ],
    entries: [{ path: 'kb/orders', text: 'SELECT count(*) FROM orders' }],
    placeholders: [{ name: 'market', meaning: 'the code of the value that the question names' }],
    others: [{ path: 'kb/users', title: 'Users', aliases: 'users' }],
    protect: ['users in November 2025'],
    left_out: '3 other metrics',
    earlier: [{ diff: '+ AND paid', outcome: 'rejected' }],
  },
  needed: ['cases'],
  answers: [[{ diagnosis: 'x', reasoning: 'x', edits: [] }]],
}

/** How many rows and cases of one cause are shown: enough to see what is wrong. */
const maxRows = 3
const maxCases = 5
/** Characters of everything beside the cases and the files to edit, some 800 tokens: most important first. */
const contextCharacters = 2400

/**
 * Returns what a model is shown to repair one cause: the failing cases, the entries that they read, and, within a fixed
 * length, the metrics on the same tables and the questions that are to stay right. What is left out is said.
 */
export function promptVariables(
  { diagnoses, snapshot, protect, earlier }: ModelRequest<SqlTypes>,
  kb: KnowledgeBase,
  context: RepairContext,
  showExpected: boolean,
): Record<keyof typeof repairerExample.variables, unknown> {
  const paths = shownPaths(diagnoses, kb)
  const shown = new Set(paths)
  const metrics = kb.metrics.filter(({ path }) => shown.has(path))
  const snippets = [...kb.snippets.values()].filter(({ path }) => shown.has(path))
  const used = new Set(snippets.flatMap(({ text }) => tablesIn(text)))
  const siblings = kb.metrics
    .filter(({ path }) => !shown.has(path))
    .filter(({ snippet }) => tablesIn(kb.snippets.get(snippet)?.text ?? '').some((table) => used.has(table)))
    .map(({ path, title, aliases }) => ({ path, title, aliases: aliases.join(', ') }))
  const others = takeWithin(siblings, contextCharacters / 2, ({ path, title, aliases }) =>
    [path, title, aliases].join(': ('),
  )
  const spared = contextCharacters - others.characters
  const questions = takeWithin(protect, spared, (question) => question)
  const cases = diagnoses.slice(0, maxCases)
  const leftOut = [
    ...(diagnoses.length > cases.length ? [`${diagnoses.length - cases.length} more failing cases`] : []),
    ...(kb.metrics.length - metrics.length > others.taken.length
      ? [`${kb.metrics.length - metrics.length - others.taken.length} other metrics`]
      : []),
    ...(questions.left > 0 ? [`${questions.left} more questions that are answered well`] : []),
  ]
  return {
    dialect: context.dialect,
    label: diagnoses[0]?.label ?? '',
    subject: diagnoses[0]?.subject ?? '',
    cases: cases.map((diagnosis) => caseOf(diagnosis, showExpected)),
    entries: paths.map((path) => ({ path, text: readText(snapshot, path) ?? '' })),
    placeholders: placeholdersOf(metrics, snippets),
    others: others.taken,
    protect: questions.taken,
    left_out: leftOut.join(', '),
    earlier,
  }
}

/** Returns the first items that fit into a number of characters. */
function takeWithin<T>(
  items: readonly T[],
  most: number,
  textOf: (item: T) => string,
): { readonly taken: readonly T[]; readonly left: number; readonly characters: number } {
  let characters = 0
  const taken: T[] = []
  for (const item of items) {
    const length = textOf(item).length + 3
    if (characters + length > most) break
    characters += length
    taken.push(item)
  }
  return { taken, left: items.length - taken.length, characters }
}

/** Returns the names after FROM and JOIN: templates need not be valid SQL. */
function tablesIn(sql: string): string[] {
  return [...sql.matchAll(/\b(?:from|join)\s+([\w."`]+)/gi)].map(([, name = '']) => name.toLowerCase())
}

/**
 * Returns the files of the entries that the failing cases read, and of the metric that their questions refer
 * to.
 */
function shownPaths(diagnoses: readonly Diagnosis[], kb: KnowledgeBase): string[] {
  const read = new Set(
    diagnoses.flatMap(({ evaluation: { sample }, interpretation: { metric } }) => [
      ...(sample.kind === 'error' || sample.read === 'all' ? [] : sample.read),
      ...(metric === undefined ? [] : [metric.id, snippetOf(metric, kb)?.id ?? '']),
    ]),
  )
  const entries = [...kb.metrics, ...kb.snippets.values(), ...kb.notes]
  return entries.filter(({ id }) => read.has(id)).map(({ path }) => path)
}

function caseOf({ evaluation: { testCase, sample, score } }: Diagnosis, showExpected: boolean) {
  const results = score.results
  const differences = results?.kind === 'mismatch' ? results.comparison.differences : []
  return {
    question: testCase.question,
    sql: sample.kind === 'answer' ? sample.text : '',
    error: results?.kind === 'generated_failed' ? oneLine(results.message) : '',
    answer: sample.kind === 'answer' ? '' : oneLine(sample.message),
    // In words: these leave out the expected query, which is shown only if the user allows it.
    differences: oneLine(score.reason),
    rows: differences.slice(0, maxRows).map(rowText),
    expected: showExpected ? testCase.expectedSql : '',
  }
}

function rowText(difference: RowDifference): string {
  switch (difference.kind) {
    case 'columns':
    case 'order':
      return oneLine(difference.text)
    case 'missing':
      return `expected ${cells(difference.row)}`
    case 'extra':
      return `not expected ${cells(difference.row)}`
    case 'changed':
      return `expected ${cells(difference.expected)}, got ${cells(difference.actual)}`
  }
}

const maxCellCharacters = 60

/**
 * Renders cells as one line of JSON, so that the content of a row cannot pass for another part of the prompt.
 */
function cells(row: readonly Value[]): string {
  return `[${row.map(cell).join(', ')}]`
}

function cell(value: Value): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null || typeof value !== 'object') return String(value)
  return value.kind === 'decimal' ? value.text : quoted(value.text)
}

function quoted(text: string): string {
  const json = JSON.stringify(text.slice(0, maxCellCharacters))
  // Line ends and control characters that JSON does not escape.
  return json.replaceAll(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Puts a text on one line: messages of an engine or an agent may contain what is in a cell. */
function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}\u2028\u2029]+/gu, ' ').trim()
}
