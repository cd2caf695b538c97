import type { TokenizeOutcome } from '../tokens.js'

/**
 * How large a text is before it is parsed. What the library refuses at the end, as more than 512 levels, it reads first,
 * by recursion; each time that overflows its stack, some of its memory is gone for good.
 */

/** Levels at which the library refuses a query, operands of a chain counted. */
const levels = 512
/** Tokens without a separator between them: far beyond those levels, and read without overflow. */
const longestRun = 4000
/** Brackets in brackets count for so many tokens: on Node 24, 3,900 overflow once V8 has optimized what reads them. */
const tokensOfNesting = 2
/** Alternatives of a condition, conditions, values of a list: more do not fit on the stack. */
const mostOperands = 100_000
/** Columns and calculations of a list, of which there are rules that compare each with each. */
const mostItems = 10_000

/** The largest that a text has anywhere. */
interface QuerySize {
  readonly run: number
  readonly operands: number
  readonly items: number
}

/** Why a text is not parsed, or undefined. `tokenTexts` reads it exactly, for a text that looks too large at a glance. */
export function sizeLimitMessage(sql: string, tokenize: () => TokenizeOutcome): string | undefined {
  if (sql.length < longestRun || exceededLimitMessage(measureSize(approximateTokens(sql))) === undefined)
    return undefined
  const outcome = tokenize()
  return outcome.kind === 'tokens'
    ? exceededLimitMessage(measureSize(outcome.tokens.map(({ text }) => text)))
    : undefined
}

function exceededLimitMessage({ run, operands, items }: QuerySize): string | undefined {
  if (run > longestRun) return tooDeepMessage(levels)
  if (operands > mostOperands)
    return tooLargeMessage(operands, 'operands of one condition or list', mostOperands)
  if (items > mostItems) return tooLargeMessage(items, 'columns or calculations in one list', mostItems)
  return undefined
}

export function tooDeepMessage(limit: number): string {
  return `The query is nested or chained deeper than ${limit} levels, the limit of the parser`
}

function tooLargeMessage(count: number, what: string, most: number): string {
  const number = (value: number): string => value.toLocaleString('en')
  return `The query is too large to compare by structure: ${number(count)} ${what}, ${number(most)} at most`
}

const token =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|[\p{L}_$@#][\p{L}\p{N}_$@#]*|[\d.]+|[^\s\p{L}\p{N}]/gu

/** Tokens as most dialects have them, ten times faster than the library's. */
function* approximateTokens(sql: string): Generator<string> {
  for (const [text] of sql.matchAll(token)) if (!/^(?:--|\/\*)/u.test(text)) yield text
}

/** The text between two brackets, or outside of all. */
interface Level {
  run: number
  operands: number
  /** Those before the last comma. */
  items: number
  /** Whether the item that is being read names something. */
  isNamed: boolean
  /** BETWEENs whose AND is still to come. */
  between: number
  /** Set operations, each of which is a level. */
  sets: number
}

const opening: ReadonlySet<string> = new Set(['(', '[', '{', 'CASE'])
const closing: ReadonlySet<string> = new Set([')', ']', '}', 'END'])
const clauses: ReadonlySet<string> = new Set([
  ...['SELECT', 'FROM', 'WHERE', 'BY', 'HAVING', 'QUALIFY', 'ON', 'JOIN', 'VIEW', 'VALUES'],
  ';',
])
const setOperators: ReadonlySet<string> = new Set(['UNION', 'INTERSECT', 'EXCEPT', 'MINUS'])
/** Set operations in a row count for so many tokens: a thousand of them are as far beyond what is read. */
const tokensOfSet = 4
/** Words before or in place of a value. */
const ofValues: ReadonlySet<string> = new Set(['NULL', 'TRUE', 'FALSE', 'DATE', 'TIMESTAMP', 'INTERVAL'])

function measureSize(texts: Iterable<string>): QuerySize {
  const most = { run: 0, operands: 0, items: 0 }
  const begin = (): Level => ({ run: 0, operands: 1, items: 0, isNamed: false, between: 0, sets: 0 })
  const stack: Level[] = [begin()]
  for (const text of texts) {
    const word = text.length > 9 ? text : text.toUpperCase()
    if (closing.has(word) && stack.length > 1) stack.pop()
    const level = stack.at(-1) ?? begin()
    count(level, word)
    most.run = Math.max(most.run, level.run, stack.length * tokensOfNesting, level.sets * tokensOfSet)
    most.operands = Math.max(most.operands, level.operands)
    most.items = Math.max(most.items, level.items + Number(level.isNamed))
    if (opening.has(word)) stack.push(begin())
  }
  return most
}

function count(level: Level, word: string): void {
  if (clauses.has(word)) Object.assign(level, { run: 0, operands: 1, items: 0, isNamed: false })
  else if (setOperators.has(word)) level.sets++
  else if (word === 'AND' && level.between > 0) level.between--
  else if (word === ',' || word === 'AND' || word === 'OR' || word === 'WHEN') {
    level.operands++
    if (word === ',' && level.isNamed) level.items++
    level.run = 0
    level.isNamed = false
  } else if (word === 'THEN' || word === 'ELSE') level.run = 0
  else {
    level.run++
    if (word === 'BETWEEN') level.between++
    level.isNamed ||= /^[\p{L}_"`]/u.test(word) && !ofValues.has(word)
  }
}
