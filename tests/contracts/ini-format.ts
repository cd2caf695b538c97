import { z } from 'zod'
import { checkPath } from '../../src/edit/allowed-path.js'
import { editConflict } from '../../src/edit/edit-conflict.js'
import type { Edit, TextEdit } from '../../src/edit/edit-types.js'
import { textEdits } from '../../src/edit/line-edits.js'
import type { Metric, Parameter, Snippet } from '../../src/kb/entry.js'
import type { LocatedSlot, Slot, SlotEdit, SlotValue } from '../../src/kb/entry-slots.js'
import type { KnowledgeAdapter, NewMetric, NewQuery } from '../../src/kb/knowledge-adapter.js'
import { checkSnippet } from '../../src/kb/snippet-check.js'
import { readText, type Snapshot } from '../../src/snapshot/snapshot.js'

/**
 * A second format of knowledge, as small as one can be: all entries in one text file, each with its words, parameters and
 * query. A line of two blanks or more goes on with the value above it.
 *
 *     [revenue]
 *     words = revenue, turnover
 *     market = ID: Indonesia; TH: Thailand
 *     period = dates
 *     sql = SELECT sum(amount) FROM orders
 *       WHERE market = {{ market }}
 */
const fileName = 'answers.md'

const proposed = z.strictObject({
  path: z.string(),
  entry: z.string(),
  search: z.string(),
  replace: z.string(),
})

interface Field {
  readonly key: string
  readonly value: string
  /** Where the value stands in the file. */
  readonly start: number
}

interface IniEntry {
  readonly name: string
  readonly fields: readonly Field[]
}

function entriesIn(text: string): IniEntry[] {
  return [...text.matchAll(/^\[(\w+)\]\n((?:(?!\[).*\n?)*)/gmu)].map(
    ({ index, 0: whole, 1: name = '', 2: body = '' }) => {
      const from = index + whole.length - body.length
      const fields = [...body.matchAll(/^(\w+) = (.*(?:\n {2}.*)*)/gmu)].map(
        (match): Field => ({
          key: match[1] ?? '',
          value: match[2] ?? '',
          start: from + match.index + match[0].length - (match[2] ?? '').length,
        }),
      )
      return { name, fields }
    },
  )
}

function textOf(entry: IniEntry, key: string): string | undefined {
  return entry.fields.find((field) => field.key === key)?.value
}

function wordsIn(value: string | undefined): string[] {
  return (value ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

const ownKeys = new Set(['title', 'words', 'sql'])

function parametersOf({ fields }: IniEntry): Map<string, Parameter> {
  return new Map(
    fields
      .filter(({ key }) => !ownKeys.has(key))
      .map(({ key, value }): [string, Parameter] => {
        if (value === 'dates') return [key, { type: 'date_range' }]
        const values = value.split(';').map((part) => part.split(':').map((each) => each.trim()))
        return [
          key,
          { type: 'enum', values: new Map(values.map(([code = '', words]) => [code, wordsIn(words)])) },
        ]
      }),
  )
}

function metricOf(entry: IniEntry, path: string): Metric {
  const { name } = entry
  const title = textOf(entry, 'title') ?? name
  const aliases = wordsIn(textOf(entry, 'words'))
  return { id: `metric:${name}`, name, title, aliases, snippet: name, parameters: parametersOf(entry), path }
}

function queryOf(entry: IniEntry, path: string): Snippet {
  return { id: `snippet:${entry.name}`, name: entry.name, text: textOf(entry, 'sql') ?? '', path }
}

/** The line that holds a slot, and the text of its value with a change made. */
function changedField(entry: IniEntry, { slot, action, expected, value }: SlotEdit, path: string) {
  const key = keyOf(slot)
  const field = entry.fields.find((each) => each.key === key)
  if (key === undefined || field === undefined) throw editConflict(path, `${entry.name} has no such slot`)
  if (slot.kind !== 'aliases') {
    if (field.value !== expected)
      throw editConflict(path, `${String(expected)} was expected in ${entry.name}`)
    return { field, text: String(value) }
  }
  const words = wordsIn(field.value)
  const at = slot.item ?? words.length
  if (slot.item !== undefined && words[at] !== expected)
    throw editConflict(path, `${String(expected)} was expected`)
  if (action === 'remove') return { field, text: words.toSpliced(at, 1).join(', ') }
  return { field, text: words.toSpliced(at, action === 'append' ? 0 : 1, String(value)).join(', ') }
}

function keyOf(slot: Slot): string | undefined {
  return { title: 'title', aliases: 'words', query: 'sql' }[slot.kind as 'title']
}

function render(edits: readonly SlotEdit[], snapshot: Snapshot): Edit[] {
  const texts = new Map<string, string>()
  return edits.flatMap((edit) => {
    const { entry: id, path } = edit
    const before = texts.get(path) ?? readText(snapshot, path) ?? ''
    const entry = entriesIn(before).find(({ name }) => id.endsWith(`:${name}`))
    if (entry === undefined) throw editConflict(path, `there is no ${id}`)
    const { field, text } = changedField(entry, edit, path)
    const after = before.slice(0, field.start) + text + before.slice(field.start + field.value.length)
    texts.set(path, after)
    return textEdits(path, before, after).map((each) => ({ ...each, entry: id }))
  })
}

/** Of the lines that a text edit changes, the one with words, before and after. */
function changedWords({ search, replace }: TextEdit): { before: string[]; after: string[] } | undefined {
  const [before, after] = [search, replace].map((text) => /^words = (.*)$/mu.exec(text)?.[1])
  return before === undefined || before === after
    ? undefined
    : { before: wordsIn(before), after: wordsIn(after) }
}

function slotEditOf(edit: Edit): SlotEdit | undefined {
  const words = edit.kind === 'edit_snippet' ? changedWords(edit) : undefined
  if (edit.kind !== 'edit_snippet' || edit.entry === undefined || words === undefined) return undefined
  const { before, after } = words
  const slot = { kind: 'aliases' } as const
  const target = { entry: edit.entry, path: edit.path }
  const [added] = after.filter((word) => !before.includes(word))
  if (added !== undefined) return { ...target, slot, action: 'append', expected: before, value: added }
  const item = before.findIndex((word) => !after.includes(word))
  return { ...target, slot: { ...slot, item }, action: 'remove', expected: before[item] }
}

function withValue(edit: Edit, value: SlotValue): Edit {
  const change = slotEditOf(edit)
  if (edit.kind !== 'edit_snippet' || change === undefined) return edit
  const words = [...[change.expected ?? []].flat(), value].join(', ')
  return { ...edit, replace: edit.replace.replace(/^words = .*$/mu, `words = ${words}`) }
}

function create(
  { query, metric }: { readonly query?: NewQuery | undefined; readonly metric?: NewMetric | undefined },
  snapshot: Snapshot,
  folder: string,
): Edit[] {
  const path = `${folder}/${fileName}`
  const before = readText(snapshot, path) ?? ''
  const lines = [
    `[${metric?.name ?? query?.name}]`,
    ...(metric === undefined ? [] : [`title = ${metric.title}`, `words = ${metric.aliases.join(', ')}`]),
    ...[...(metric?.parameters ?? [])].map(([name, parameter]) => `${name} = ${parameterText(parameter)}`),
    ...(query === undefined ? [] : [`sql = ${query.text.trim().replaceAll('\n', '\n  ')}`]),
  ]
  return textEdits(path, before, `${before}\n${lines.join('\n')}\n`).map((edit) => ({
    ...edit,
    entry: `metric:${metric?.name ?? query?.name}`,
  }))
}

function parameterText(parameter: Parameter): string {
  if (parameter.type !== 'enum') return 'dates'
  return [...parameter.values].map(([code, words]) => `${code}: ${words.join(', ')}`).join('; ')
}

export const iniFormat: KnowledgeAdapter = {
  name: 'ini',
  places: `read is ${fileName}`,
  read(snapshot, folder) {
    const path = `${folder}/${fileName}`
    const entries = entriesIn(readText(snapshot, path) ?? '')
    const queries = entries.map((entry) => queryOf(entry, path))
    const metrics = entries.map((entry) => metricOf(entry, path))
    const problems = metrics.flatMap((metric, index) => {
      const query = queries[index]
      return query === undefined ? [] : checkSnippet(query, metric)
    })
    const broken = metrics.flatMap((metric) => {
      const problem = problems.find((each) => each.entry === metric.id)
      return problem === undefined ? [] : [{ ...metric, problem, metric }]
    })
    return {
      metrics: metrics.filter(({ id }) => broken.every((entry) => entry.id !== id)),
      broken,
      snippets: new Map(queries.map((query) => [query.name, query])),
      notes: [],
      problems,
    }
  },
  slotsOf({ id, path }, snapshot) {
    const entry = entriesIn(readText(snapshot, path) ?? '').find(({ name }) => id.endsWith(`:${name}`))
    return (entry?.fields ?? []).flatMap(({ key, value, start }): LocatedSlot[] => {
      const whole = { text: value, start, end: start + value.length }
      if (key === 'sql') return id.startsWith('snippet:') ? [{ slot: { kind: 'query' }, ...whole }] : []
      if (id.startsWith('snippet:')) return []
      if (key === 'title') return [{ slot: { kind: 'title' }, ...whole }]
      if (key !== 'words') return []
      return wordsIn(value).map((text, item) => {
        const at = start + value.indexOf(text)
        return { slot: { kind: 'aliases', item }, text, start: at, end: at + text.length }
      })
    })
  },
  declarationOf({ name, path }, snapshot) {
    const entry = entriesIn(readText(snapshot, path) ?? '').find((each) => each.name === name)
    const lines = (entry?.fields ?? []).filter(({ key }) => key !== 'sql').map(({ value }) => value)
    return { text: lines.join('\n'), prose: [] }
  },
  render,
  slotEditOf,
  withValue,
  splitReplacement: () => undefined,
  checkPlace: ({ path }, folder) => {
    checkPath(path, [folder], [fileName])
  },
  repairMark: (path, snapshot) => {
    const lines = (readText(snapshot, path) ?? '').split('\n')
    const at = lines.indexOf('; autotest: never repair')
    return at === -1 ? undefined : { path, line: at + 1, text: '; autotest: never repair' }
  },
  entriesEditedBy: (edit) => {
    const name = 'entry' in edit ? edit.entry?.replace(/^\w+:/u, '') : undefined
    return name === undefined ? [] : [`metric:${name}`, `snippet:${name}`]
  },
  modelEdits: {
    schema: z.array(proposed),
    toEdit: (edit) => ({ kind: 'edit_snippet', ...proposed.parse(edit) }),
  },
  creation: {
    queryPath: (_, folder) => `${folder}/${fileName}`,
    queryName: (metric) => metric,
    metricNameOf: (query) => query,
    isFree: (metric, _, snapshot, folder) =>
      entriesIn(readText(snapshot, `${folder}/${fileName}`) ?? '').every(({ name }) => name !== metric),
    create,
    file: () => undefined,
  },
  former: {
    lines: {
      withoutComment: (line) => line.replace(/(?:^#|--).*$/u, ''),
      namesIn: (line) =>
        line
          .replace(/^\w+ = /u, '')
          .split(/[,:;]/u)
          .map((part) => part.trim()),
      isDeclaration: (line) => !line.startsWith('words = '),
      declares: (parameter, line) => line.startsWith(`${parameter} = `),
      setsDefault: () => false,
      hasWordOf: (value, word, line) => line.includes(`${value}: ${word}`),
      enumWords: (code, line) => (line.includes(`${code}:`) ? [] : undefined),
      valueWords: () => undefined,
      choiceName: () => undefined,
    },
    queryIn: ({ name }, text) => {
      const entry = entriesIn(text).find((each) => each.name === name)
      return entry && textOf(entry, 'sql')
    },
    valuesOf: () => undefined,
    placedAsBefore: (edit) => edit,
  },
}
