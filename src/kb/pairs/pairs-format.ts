import { extname } from 'node:path'
import type { ColumnMap } from '../../snapshot/knowledge-source.js'
import { detectLineEnding } from '../../snapshot/line-endings.js'
import type { EntriesOfFile, EntryFormat, KnowledgeEntry, Skipped } from '../entries/entry-format.js'
import { sqlKind } from '../entries/sql-parts.js'
import { lineCounter } from '../entries/text-lines.js'
import { encodeYamlText } from '../entries/yaml-file.js'
import { encodeCsvField, readCsvRecords } from './csv-records.js'
import { guessColumns } from './guess-columns.js'
import { encodeJsonText, readJsonLines, readJsonRecords } from './json-records.js'
import type { Records } from './record.js'
import { readYamlRecords } from './yaml-records.js'

const readers: Readonly<Record<string, (path: string, file: string) => Records>> = {
  '.jsonl': readJsonLines,
  '.ndjson': readJsonLines,
  '.json': readJsonRecords,
  '.csv': readCsvRecords,
  '.tsv': readCsvRecords,
  '.yaml': readYamlRecords,
  '.yml': readYamlRecords,
}

/** Questions with their queries: JSON lines, JSON, CSV, YAML. */
export const pairsFormat: EntryFormat = {
  name: 'pairs',
  claim(path, text) {
    const records = readRecords(path, text)
    const columns = records && guessColumns(records.records)
    return columns === undefined ? undefined : `questions in ${columns.question}, queries in ${columns.sql}`
  },
  read: readPairs,
  encode(entry, text, file) {
    const written = file.slice(entry.span.start, entry.span.end)
    const ending = extname(entry.path).toLowerCase()
    if (ending === '.csv' || ending === '.tsv') return encodeCsvField(text, written, detectLineEnding(file))
    return /^\.ya?ml$/.test(ending) ? encodeYamlText(entry, text, file) : encodeJsonText(text, written)
  },
}

let last: { readonly path: string; readonly file: string; readonly records: Records } | undefined

function readRecords(path: string, file: string): Records | undefined {
  const reader = readers[extname(path).toLowerCase()]
  if (reader === undefined) return undefined
  // A file that is claimed is read right after it.
  if (last?.path !== path || last.file !== file) last = { path, file, records: reader(path, file) }
  return last.records
}

function readPairs(path: string, file: string, given?: ColumnMap): EntriesOfFile {
  const found = readRecords(path, file)
  if (found === undefined) return { entries: [], skipped: [{ path, line: 1, why: 'not a file of pairs' }] }
  const columns = guessColumns(found.records, given)
  if (columns === undefined)
    return {
      entries: [],
      skipped: [
        ...found.skipped,
        { path, line: 1, why: 'no column holds questions, and another their queries' },
      ],
    }
  const lineOf = lineCounter(file)
  const entries: KnowledgeEntry[] = []
  const skipped: Skipped[] = [...found.skipped]
  for (const { fields, whole, line } of found.records) {
    const query = fields.get(columns.sql)
    const question = fields.get(columns.question)
    // One file may hold other lists next to the pairs.
    if (query === undefined && question === undefined) continue
    if (query === undefined || question === undefined || query.value.trim() === '') {
      skipped.push({
        path,
        line,
        why: `no ${query === undefined || query.value.trim() === '' ? columns.sql : columns.question}`,
      })
      continue
    }
    const isQuery = sqlKind(query.value) === 'query'
    const readOnly = found.readOnly ?? (isQuery ? undefined : 'it is no query')
    entries.push({
      id: `${path}#${entries.length + 1}`,
      kind: 'query',
      question: question.value,
      name: given?.id === undefined ? undefined : fields.get(given.id)?.value,
      path,
      line: lineOf(query.span.start),
      span: query.span,
      text: query.value,
      whole,
      ...(readOnly === undefined ? {} : { readOnly }),
    })
  }
  return { entries, skipped }
}
