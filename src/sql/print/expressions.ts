import { isStable } from '../relational/known-functions.js'
import type { Expression, QueryShape, SourceId } from '../shape/query-shape.js'
import { printSyntax } from './expression-syntax.js'

/** How a table is called in the canonical form. */
export interface Label {
  readonly text: string
  /** The only table of its SELECT: its columns need no qualifier there. */
  readonly alone: boolean
  /** Nesting level of its SELECT. */
  readonly level: number
  /** The expressions behind the columns of a derived table, by position. */
  readonly outputs: readonly string[] | undefined
}

/** The context in which an expression is printed. */
export interface PrintScope {
  readonly labels: ReadonlyMap<SourceId, Label>
  readonly level: number
  /** The column that stands for all that conditions make equal to this one. */
  readonly represented?: ((column: Column) => Column) | undefined
  /** Prints a subquery. */
  query(query: QueryShape): string
}

/** Binding strength of operators; operands that bind no stronger get parentheses. */
const bindingPower: ReadonlyMap<string, number> = new Map([
  ['or', 1],
  ['and', 2],
  ['not', 3],
  ['=', 4],
  ['<>', 4],
  ['<', 4],
  ['<=', 4],
  ['in', 4],
  ['is_null', 4],
  ['like', 4],
  ['i_like', 4],
  ['glob', 4],
  ['is', 4],
  ['is_not_distinct', 4],
  ['null_safe_neq', 4],
  ['regexp_like', 4],
  ['regexp_i_like', 4],
  ['similar_to', 4],
  ['at_time_zone', 4],
  ['json_extract', 4],
  ['json_extract_scalar', 4],
  ['alias', 0],
  ['lambda', 0],
  ['+', 5],
  ['-', 5],
  ['||', 5],
  ['*', 6],
  ['/', 6],
  ['%', 6],
  ['neg', 7],
])

/** Prints an expression so that only what means the same prints the same; people read it too. */
export function printExpression(expression: Expression, scope: PrintScope): string {
  switch (expression.kind) {
    case 'column':
      return printColumn(expression, scope)
    case 'literal':
      return printLiteral(expression)
    case 'query':
      return `(${scope.query(expression.query)})`
    case 'apply':
      return printApplied(expression, scope)
  }
}

export type Column = Expression & { kind: 'column' }
type Applied = Expression & { kind: 'apply' }
type Literal = Expression & { kind: 'literal' }

function printColumn(written: Column, scope: PrintScope): string {
  const column = scope.represented?.(written) ?? written
  if (column.maybeText !== undefined) return `"${column.maybeText.replaceAll('"', '""')}"?`
  if (column.source === undefined) return column.name
  const label = scope.labels.get(column.source)
  const content =
    column.output === undefined
      ? undefined
      : (label?.outputs?.[column.output] ?? `column ${column.output + 1}`)
  const name =
    content === undefined ? column.name : /^[a-z_][a-z0-9_$]*$/u.test(content) ? content : `{${content}}`
  if (label === undefined) return `lateral.${name}`
  const up = scope.level - label.level
  if (up > 0) return `${'outer.'.repeat(up)}${label.text}.${name}`
  return label.alone ? name : `${label.text}.${name}`
}

function printLiteral({ type, value }: Literal): string {
  switch (type) {
    case 'number':
      return value
    case 'boolean':
      return value.toUpperCase()
    case 'word':
      return `:${value}`
    case 'text':
      return quote(value)
    default:
      return `${type.toUpperCase()} ${quote(value)}`
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function printApplied(expression: Applied, scope: PrintScope): string {
  const { op, args } = expression
  const [first, second] = args
  const print = (part: Expression): string => printExpression(part, scope)
  const operand = (part: Expression): string =>
    bindingPowerOf(part) <= bindingPowerOf(expression) ? `(${print(part)})` : print(part)
  switch (op) {
    case 'and':
      return distinctSorted(args, operand).join(' AND ')
    case 'or':
      return groupIntoInLists(args, operand, print).join(' OR ')
    case '=':
    case '<>':
    case '+':
    case '*':
      if (first === undefined || second === undefined || args.length !== 2) break
      return sortOperands(first, second, operand).join(` ${op} `)
    case '<':
    case '<=':
      if (first === undefined || second === undefined || args.length !== 2) break
      return printBound(op, first, second, operand)
    case '-':
    case '/':
    case '%':
    case '||':
      if (args.length === 2) return args.map(operand).join(` ${op} `)
      break
    case 'not':
      if (first !== undefined && args.length === 1) return printNot(first, scope, operand)
      break
    case 'like':
    case 'in':
      if (args.length === 2) return args.map(operand).join(op === 'like' ? ' LIKE ' : ' IN ')
      break
    case 'is_null':
      if (first !== undefined && args.length === 1) return `${operand(first)} IS NULL`
      break
    case 'exists':
      if (first !== undefined && args.length === 1) return `EXISTS ${print(first)}`
      break
    case 'null':
      if (args.length === 0) return 'NULL'
      break
    case 'tuple':
      return `(${args.map(print).join(', ')})`
    default:
  }
  const beside = (part: Expression): string => (isBare(part) ? print(part) : `(${print(part)})`)
  return printSyntax(op, args, { print, operand: beside }) ?? printCall(expression, print)
}

/** Whether it needs no brackets beside any operator. */
function isBare(part: Expression): boolean {
  return bindingPowerOf(part) === 9 && !(part.kind === 'literal' && part.value.startsWith('-'))
}

function printCall({ op, args }: Applied, print: (part: Expression) => string): string {
  const [first, second] = args
  if (op === 'count' && second === undefined && first?.kind === 'literal' && first.value === '*')
    return 'count(*)'
  if (op === 'output' && first?.kind === 'literal') return `column ${first.value}`
  if (op === 'distinct') return `DISTINCT ${args.map(print).join(', ')}`
  if (op === 'case') return `CASE ${args.map(print).join(' ')} END`
  if (op === 'when' && first !== undefined && second !== undefined)
    return `WHEN ${print(first)} THEN ${print(second)}`
  if (op === 'else' && first !== undefined) return `ELSE ${print(first)}`
  if (op === 'over' && first !== undefined)
    return `${print(first)} OVER (${args.slice(1).map(print).join(' ')})`
  if (op === 'field:partition_by') return `PARTITION BY ${distinctSorted(args, print).join(', ')}`
  if (op === 'field:order_by') return `ORDER BY ${args.map(print).join(', ')}`
  if (op === 'asc' || op === 'desc') return args.map(print).join(' ') + (op === 'desc' ? ' DESC' : '')
  if (op === 'using' && first !== undefined)
    return `USING (${usingText(print(first).replace(/^:/, ''), second && print(second))})`
  if (op.startsWith('field:')) return `${op.slice('field:'.length)}: [${args.map(print).join(', ')}]`
  return `${op}(${args.map(print).join(', ')})`
}

/** The column that USING merges, of the table that is joined; of which table it is in front is not known. */
function usingText(name: string, right: string | undefined): string {
  if (right === undefined) return name
  return right.endsWith(`.${name}`) ? right : `${name} = ${right}`
}

function bindingPowerOf(expression: Expression): number {
  return expression.kind === 'apply' ? (bindingPower.get(expression.op) ?? 9) : 9
}

/** The two sides of a commutative operator: literals and subqueries last, else by their text. */
function sortOperands(
  first: Expression,
  second: Expression,
  print: (part: Expression) => string,
): [string, string] {
  const [a, b] = [print(first), print(second)]
  const rank = Number(isValue(first)) - Number(isValue(second))
  return rank < 0 || (rank === 0 && a <= b) ? [a, b] : [b, a]
}

function isValue(expression: Expression): boolean {
  if (expression.kind === 'column') return expression.maybeText !== undefined
  return expression.kind === 'literal' || expression.kind === 'query'
}

/** `low < high`, printed as `high > low` where that reads better or sorts first. */
function printBound(
  op: '<' | '<=',
  low: Expression,
  high: Expression,
  print: (part: Expression) => string,
): string {
  const [left] = sortOperands(low, high, print)
  const [a, b] = [print(low), print(high)]
  return left === a ? `${a} ${op} ${b}` : `${b} ${op === '<' ? '>' : '>='} ${a}`
}

function printNot(inner: Expression, scope: PrintScope, operand: (part: Expression) => string): string {
  if (inner.kind === 'apply') {
    const [first, second] = inner.args
    const side = (part: Expression): string =>
      bindingPowerOf(part) <= 4 ? `(${printExpression(part, scope)})` : printExpression(part, scope)
    if (inner.op === 'is_null' && first !== undefined && inner.args.length === 1)
      return `${side(first)} IS NOT NULL`
    if (
      (inner.op === 'in' || inner.op === 'like') &&
      first !== undefined &&
      second !== undefined &&
      inner.args.length === 2
    ) {
      return `${side(first)} NOT ${inner.op.toUpperCase()} ${side(second)}`
    }
  }
  return `NOT ${operand(inner)}`
}

/** Alternatives for one value as an IN list: `a = 1 OR a = 2` as `a IN (1, 2)`. */
function groupIntoInLists(
  options: readonly Expression[],
  operand: (part: Expression) => string,
  print: (part: Expression) => string,
): string[] {
  const lists = new Map<string, string[]>()
  const others: Expression[] = []
  for (const option of options) {
    const [first, second] = option.kind === 'apply' && option.op === '=' ? option.args : []
    const [value, literal] = first?.kind === 'literal' ? [second, first] : [first, second]
    const isListed =
      value !== undefined && literal?.kind === 'literal' && value.kind !== 'literal' && isStable(value)
    if (!isListed) {
      others.push(option)
      continue
    }
    const subject = bindingPowerOf(value) <= 4 ? `(${print(value)})` : print(value)
    const values = lists.get(subject) ?? []
    values.push(print(literal))
    lists.set(subject, values)
  }
  const listed = [...lists].map(([subject, values]) => {
    const distinct = [...new Set(values)].sort()
    return distinct.length === 1 ? `${subject} = ${distinct[0]}` : `${subject} IN (${distinct.join(', ')})`
  })
  return [...listed, ...distinctSorted(others, operand)].sort()
}

/** Sorted, each text once: `a AND a` is `a`, except for expressions that may have another value each time. */
export function distinctSorted(parts: readonly Expression[], print: (part: Expression) => string): string[] {
  const texts = new Set<string>()
  const kept = parts.flatMap((part) => {
    const text = print(part)
    const isRepeated = texts.has(text) && isStable(part)
    texts.add(text)
    return isRepeated ? [] : [text]
  })
  return kept.sort()
}
