import type { Dialect } from '../../../../src/enums/dialect.js'
import type { Outline } from './query-outline.js'

/** Where node-sql-parser is known to read something else than what is written, and which parts that touches. */
interface PeerLimit {
  readonly reason: string
  readonly dialects?: readonly Dialect[]
  readonly text: RegExp
  readonly parts: readonly (keyof Outline)[]
}

const peerLimits: readonly PeerLimit[] = [
  {
    reason:
      'the keys of a JSON path (`value:"name"`) are columns to it, and quoted names before one are lost',
    dialects: ['snowflake'],
    text: /[\w")\]]:(?!:)\s*["\w]/u,
    parts: ['columns', 'literals'],
  },
  {
    reason: 'units of time are columns to it',
    dialects: ['snowflake'],
    text: /EPOCH_\w+/iu,
    parts: ['columns'],
  },
  {
    reason: 'a field of a column is a column to it where no table stands before',
    dialects: ['bigquery'],
    text: /\bUNNEST\s*\(/iu,
    parts: ['columns'],
  },
  {
    reason: 'a CTE of the same name as a column or a table is taken for it',
    text: /\bWITH\b[\s\S]*?\b"?(?<name>\w+)"?\s+AS\s*\([\s\S]*["`.]\k<name>["`]?\b/iu,
    parts: ['columns', 'tables'],
  },
  {
    reason: 'double quotes hold a text where no column has that name; our reader keeps both meanings',
    dialects: ['sqlite'],
    text: /"/u,
    parts: ['columns', 'literals'],
  },
  { reason: 'it keeps escapes as written', text: /\\/u, parts: ['literals'] },
  {
    reason: 'COUNT of a constant is COUNT(*) to our reader',
    text: /\bcount\s*\(\s*\d/iu,
    parts: ['literals'],
  },
  { reason: 'it drops subscripts', text: /\[/u, parts: ['literals'] },
  {
    reason: 'it drops a set operation behind a parenthesised FROM',
    text: /\)\s*(UNION|EXCEPT|INTERSECT)/iu,
    parts: ['sets'],
  },
  {
    reason: 'constants in the bounds of a window frame are one word to our reader',
    text: /\b(PRECEDING|FOLLOWING)\b/iu,
    parts: ['literals'],
  },
  {
    reason: '* stands for the columns that a derived table is known to have',
    text: /\*\s+FROM\s*\(/iu,
    parts: ['columns', 'tables', 'literals'],
  },
  {
    reason: 'it reads DESCRIBE and VALUES in FROM as tables',
    text: /\b(DESCRIBE|VALUES)\b/iu,
    parts: ['tables', 'literals'],
  },
  {
    reason: 'the rows of VALUES are a union to our reader, and its columns as many as there are',
    text: /\bVALUES\b/iu,
    parts: ['sets', 'outputs', 'columns'],
  },
  {
    reason: 'it loses an OFFSET with ROWS or before LIMIT',
    text: /\bOFFSET\s+\d+\s+(ROWS?|LIMIT)/iu,
    parts: ['offset', 'limit', 'literals'],
  },
  { reason: 'it reads variables as no column', text: /@\w/u, parts: ['columns'] },
]

/** Why the peer may read this part otherwise; undefined: it has no excuse. */
export function excuse(part: keyof Outline, sql: string, dialect: Dialect): string | undefined {
  return peerLimits.find(
    ({ dialects, text, parts }) =>
      parts.includes(part) && (dialects === undefined || dialects.includes(dialect)) && text.test(sql),
  )?.reason
}
