import type { Syntax } from './syntax.js'

interface End {
  readonly end: number
  /** Whether it is written: what has no end runs to that of the SQL. */
  readonly isClosed: boolean
}

/** Returns the end of a comment that ends with its line, before the line break. */
export function afterLine(sql: string, at: number, returnsEndLines: boolean): number {
  const newline = sql.indexOf('\n', at)
  const end = newline < 0 ? sql.length : newline
  if (!returnsEndLines) return end
  const carriageReturn = sql.slice(at, end).indexOf('\r')
  return carriageReturn < 0 ? end : at + carriageReturn
}

/** @param start of the comment's first character */
export function afterComment(sql: string, start: number, nested: boolean): End {
  const marks = nested ? /\*\/|\/\*/g : /\*\//g
  marks.lastIndex = start + 2
  let depth = 1
  for (let mark = marks.exec(sql); mark !== null; mark = marks.exec(sql)) {
    depth += mark[0] === '*/' ? -1 : 1
    if (depth === 0) return { end: marks.lastIndex, isClosed: true }
  }
  return { end: sql.length, isClosed: false }
}

/** Returns the end of `$$…$$` or `$tag$…$tag$`; undefined if none begins there. */
export function afterDollarQuote(sql: string, at: number, kind: Syntax['dollarQuotes']): End | undefined {
  if (kind === 'none') return undefined
  const opening = kind === 'plain' ? /\$\$/y : /\$(?:[A-Za-z_\u0080-\uFFFF][\w\u0080-\uFFFF]*)?\$/y
  opening.lastIndex = at
  const tag = opening.exec(sql)?.[0]
  if (tag === undefined) return undefined
  const closing = sql.indexOf(tag, at + tag.length)
  return closing < 0 ? { end: sql.length, isClosed: false } : { end: closing + tag.length, isClosed: true }
}

/** @param from after the opening quote */
export function afterQuoted(
  sql: string,
  from: number,
  how: { readonly closing: string; readonly doubles: boolean; readonly backslashes: boolean },
): End {
  const { closing, doubles, backslashes } = how
  let at = from
  while (at < sql.length) {
    if (backslashes && sql[at] === '\\') at += 2
    else if (!sql.startsWith(closing, at)) at += 1
    else if (doubles && sql.startsWith(closing, at + closing.length)) at += 2 * closing.length
    else return { end: at + closing.length, isClosed: true }
  }
  return { end: sql.length, isClosed: false }
}
