import { firstKeyword } from '../../sql-text/scan.js'
import { syntaxFor } from '../../sql-text/syntax.js'
import { tokensOf } from '../../sql-text/tokens.js'
import { isQuery } from '../note-queries.js'
import type { EntryKind, Span } from './entry-format.js'

/** First words of clauses that hold a condition. */
const conditionWords = new Set(['WHERE', 'AND', 'OR', 'HAVING', 'QUALIFY', 'ON'])
/** First words of statements that define, change or set something: SQL's own grammar has no others that are written in notes. */
const statementWords = new Set(
  'CREATE ALTER DROP INSERT UPDATE DELETE MERGE TRUNCATE GRANT REVOKE USE SET SHOW DESCRIBE DESC CALL EXECUTE EXEC COPY PUT LIST BEGIN COMMIT ROLLBACK DECLARE EXPLAIN COMMENT UNDROP REFRESH VACUUM ANALYZE PRAGMA INSTALL LOAD ATTACH'.split(
    ' ',
  ),
)

export interface SqlPart extends Span {
  readonly text: string
}

/** Returns the statements of a text, each with the comments before it and without its semicolon and the blanks around it. */
export function statementsIn(text: string): SqlPart[] {
  const parts: SqlPart[] = []
  let start = 0
  let isEmpty = true
  const add = (end: number): void => {
    const whole = text.slice(start, end)
    const from = start + whole.length - whole.trimStart().length
    const to = start + whole.trimEnd().length
    if (!isEmpty) parts.push({ start: from, end: to, text: text.slice(from, to) })
  }
  // A placeholder's braces are symbols, so that a semicolon within them ends nothing that can be read.
  for (const token of tokensOf(text, syntaxFor('ansi'))) {
    if (token.kind === 'symbol' && text[token.start] === ';') {
      add(token.start)
      start = token.end
      isEmpty = true
    } else if (token.kind !== 'space' && token.kind !== 'comment') isEmpty = false
  }
  add(text.length)
  return parts
}

/** What a piece of SQL is; `statement`: it is no query, and changes or defines something. */
export function sqlKind(text: string): EntryKind | 'statement' {
  if (isQuery(text)) return 'query'
  const first = firstKeyword(text, 'ansi')
  if (conditionWords.has(first)) return 'condition'
  return statementWords.has(first) ? 'statement' : 'expression'
}

/**
 * Returns the placeholders of a text: `{{ a }}`, `{% if %}`, `${a}`, `{a}`, `<a>` where no comparison can stand, `:a`, `%(a)s`, `...`.
 * A text that has one runs with values only.
 */
export function placeholdersIn(text: string): string[] {
  const found = text.match(
    /\{\{.*?\}\}|\{%.*?%\}|\$\{[^}]*\}|\{[A-Za-z_][\w. ]*\}|<[A-Za-z_][\w -]*>|%\(\w+\)s|(?<![:\w]):[A-Za-z_]\w*|\[[A-Z][A-Z_ ]+\]|\.\.\.|…/gs,
  )
  return [...new Set(found ?? [])]
}
