import type { Dialect } from '../../enums/dialect.js'
import { operandMark } from '../parsing/subquery-operands.js'
import {
  type AstNode,
  type AstObject,
  asList,
  asNode,
  asObject,
  asText,
  queryTags,
  semanticEntries,
} from './ast.js'
import { readColumn, readParameter, readPath, readStar, readTableName } from './column.js'
import { foldName } from './identifier-folding.js'
import { readLiteral, readType } from './literal.js'
import { apply, type Expression, field, word } from './query-shape.js'
import type { ReadContext } from './read-context.js'
import type { Scope } from './scope.js'
import { readUnmodelled, readValue } from './unmodelled-nodes.js'
import { readWindow } from './window.js'

/** Tags of binary operators and how we write them. */
const operators: ReadonlyMap<string, string> = new Map([
  ['eq', '='],
  ['neq', '<>'],
  ['lt', '<'],
  ['lte', '<='],
  ['gt', '>'],
  ['gte', '>='],
  ['add', '+'],
  ['sub', '-'],
  ['mul', '*'],
  ['div', '/'],
  ['mod', '%'],
  ['concat', '||'],
])

/** Reads an expression and binds its names; what is not modelled is kept as it stands. */
export function readExpression(value: unknown, scope: Scope, context: ReadContext): Expression {
  const node = asNode(context.grouped(value))
  const body = asObject(node?.body)
  if (node === undefined || body === undefined) return readValue(value, scope, context)
  if (queryTags.has(node.tag)) return { kind: 'query', query: context.query(value, scope, 'rows') }
  const operator = operators.get(node.tag)
  if (operator !== undefined) return readBinary(node, body, operator, scope, context)
  return readTagged(node, body, scope, context)
}

function readTagged(node: AstNode, body: AstObject, scope: Scope, context: ReadContext): Expression {
  const inner = (key: string): Expression => context.expression(body[key], scope)
  switch (node.tag) {
    case 'literal':
      return readLiteral(body)
    case 'boolean':
      return { kind: 'literal', type: 'boolean', value: String(body['value'] === true) }
    case 'paren':
      return inner('this')
    case 'column':
      return readColumn(node, body, scope, context)
    case 'parameter':
      return readParameter(node, body, scope, context)
    case 'dot':
      return readPath(node, scope, context)
    case 'star':
      return readStar(body, scope, context)
    case 'and':
    case 'or':
      return apply(node.tag, ...spine(node, node.tag).map((part) => context.expression(part, scope)))
    case 'not':
    case 'neg':
      return apply(node.tag, inner('this'))
    case 'is_null':
      return negated(body, apply('is_null', inner('this')))
    case 'exists':
      return negated(body, apply('exists', inner('this')))
    case 'between':
      return readBetween(node, body, scope, context)
    case 'in':
      return readIn(node, body, scope, context)
    case 'cast':
    case 'try_cast':
    case 'safe_cast':
      return readCast(node, body, scope, context)
    case 'case':
      return readCase(body, scope, context)
    case 'if_func':
      return apply(
        'case',
        apply('when', inner('condition'), inner('true_value')),
        ...otherwise(body, 'false_value', inner),
      )
    case 'coalesce':
      return apply('coalesce', ...asList(body['expressions']).map((part) => context.expression(part, scope)))
    case 'count':
      return readCount(node, body, scope, context)
    case 'function':
      return readFunction(body, scope, context)
    case 'window_function':
      return readWindow(body, scope, context)
    case 'table':
      return readTableName(node, body, scope, context)
    case 'raw':
      // The names in it are bound to nothing, and its quotes are gone.
      context.refuse(`An expression that is not read: ${asText(body['sql'])}`)
      return readUnmodelled(node, scope, context)
    case 'var':
      return word((asText(body['this']) ?? '').toLowerCase())
    default:
      return readUnmodelled(node, scope, context)
  }
}

function readBinary(
  node: AstNode,
  body: AstObject,
  operator: string,
  scope: Scope,
  context: ReadContext,
): Expression {
  if (semanticEntries(body, leftAndRight).length > 0) return readUnmodelled(node, scope, context)
  return apply(operator, context.expression(body['left'], scope), context.expression(body['right'], scope))
}

const leftAndRight: ReadonlySet<string> = new Set(['left', 'right'])

/** The operands of a chain of ANDs or ORs; the parser nests them thousands deep to the left. */
function spine(node: AstNode, tag: string): unknown[] {
  const operands: unknown[] = []
  let at: AstNode | undefined = node
  while (at?.tag === tag) {
    const body: AstObject | undefined = asObject(at.body)
    operands.push(body?.['right'])
    const left: unknown = body?.['left']
    at = asNode(left)
    if (at?.tag !== tag) operands.push(left)
  }
  return operands.reverse()
}

function negated(body: AstObject, positive: Expression): Expression {
  return body['not'] === true ? apply('not', positive) : positive
}

function otherwise(body: AstObject, key: string, inner: (key: string) => Expression): Expression[] {
  return body[key] === null || body[key] === undefined ? [] : [apply('else', inner(key))]
}

function readBetween(node: AstNode, body: AstObject, scope: Scope, context: ReadContext): Expression {
  if (semanticEntries(body, betweenParts).length > 0) return readUnmodelled(node, scope, context)
  const [value, low, high] = ['this', 'low', 'high'].map((key) => context.expression(body[key], scope))
  if (value === undefined || low === undefined || high === undefined)
    return readUnmodelled(node, scope, context)
  return negated(body, apply('between', value, low, high))
}

const betweenParts: ReadonlySet<string> = new Set(['this', 'low', 'high', 'not'])

function readIn(node: AstNode, body: AstObject, scope: Scope, context: ReadContext): Expression {
  if (semanticEntries(body, inParts).length > 0) return readUnmodelled(node, scope, context)
  const value = context.expression(body['this'], scope)
  const items = asList(body['expressions'])
  const [only] = items
  const query = body['query'] ?? (items.length === 1 && isQuery(only) ? only : undefined)
  if (query !== undefined && query !== null) {
    if (body['query'] !== undefined && body['query'] !== null && items.length > 0)
      return readUnmodelled(node, scope, context)
    return negated(
      body,
      apply('in', value, { kind: 'query', query: context.query(query, scope, 'positional') }),
    )
  }
  return negated(body, apply('in_list', value, ...items.map((item) => context.expression(item, scope))))
}

const inParts: ReadonlySet<string> = new Set(['this', 'expressions', 'query', 'not'])

function isQuery(value: unknown): boolean {
  return queryTags.has(asNode(value)?.tag ?? '')
}

function readCast(node: AstNode, body: AstObject, scope: Scope, context: ReadContext): Expression {
  const type = asObject(body['to'])
  if (type === undefined || semanticEntries(body, thisAndTo).length > 0)
    return readUnmodelled(node, scope, context)
  const op = node.tag === 'cast' ? 'cast' : 'try_cast'
  return apply(op, context.expression(body['this'], scope), word(readType(type)))
}

const thisAndTo: ReadonlySet<string> = new Set(['this', 'to'])

function readCase(body: AstObject, scope: Scope, context: ReadContext): Expression {
  const inner = (value: unknown): Expression => context.expression(value, scope)
  const operand = body['operand']
  const whens = asList(body['whens']).map((when) => apply('when', ...asList(when).map(inner)))
  const subject = operand === null || operand === undefined ? [] : [apply('of', inner(operand))]
  return apply('case', ...subject, ...whens, ...otherwise(body, 'else_', (key) => inner(body[key])))
}

/** `count(1)` counts rows as `count(*)` does; so does no other argument. */
function readCount(node: AstNode, body: AstObject, scope: Scope, context: ReadContext): Expression {
  const literal = asNode(body['this'])?.tag === 'literal'
  const rows = body['star'] === true || (literal && body['distinct'] !== true)
  if (!rows) return readUnmodelled(node, scope, context)
  const rest = semanticEntries(body, new Set(['this', 'star', 'original_name']))
  return apply('count', word('*'), ...rest.map(([key, part]) => field(key, readValue(part, scope, context))))
}

/** Names of the shape's own operators: a function of such a name is something else. */
const ownOperators: ReadonlySet<string> = new Set([
  ...[
    'and',
    'or',
    'not',
    'neg',
    'is_null',
    'exists',
    'between',
    'in',
    'in_list',
    'like',
    'case',
    'when',
    'else',
  ],
  ...[
    'of',
    'distinct',
    'over',
    'asc',
    'desc',
    'output',
    'list',
    'record',
    'tuple',
    'star',
    'using',
    'dot',
    'null',
  ],
])

function readFunction(body: AstObject, scope: Scope, context: ReadContext): Expression {
  const written = (asText(body['name']) ?? '').toLowerCase()
  const name = ownOperators.has(written) ? `${written}()` : written
  const fields = written === 'struct' && namesFields.has(context.dialect)
  const args = asList(body['args']).map((argument) =>
    context.expression(fields ? namedField(argument) : argument, scope),
  )
  if (written === operandMark && args[0] !== undefined) return args[0]
  const isPlain = foldName({ name: asText(body['name']) ?? '', quoted: true }, context.dialect) === written
  const rest = semanticEntries(body, isPlain ? nameInQuotes : nameAndArguments)
  return apply(name, ...args, ...rest.map(([key, part]) => field(key, readValue(part, scope, context))))
}

const nameAndArguments: ReadonlySet<string> = new Set(['name', 'args'])

/** `"concat"(a, b)` is `concat(a, b)`. */
const nameInQuotes: ReadonlySet<string> = new Set([...nameAndArguments, 'quoted'])

/** Dialects in which `STRUCT(t.x)` has a field `x`. */
const namesFields: ReadonlySet<Dialect> = new Set(['ansi', 'bigquery', 'spark'])

function namedField(argument: unknown): unknown {
  const node = asNode(argument)
  const alias =
    node?.tag === 'column'
      ? asObject(node.body)?.['name']
      : node?.tag === 'dot'
        ? asObject(node.body)?.['field']
        : undefined
  return alias === undefined ? argument : { alias: { this: argument, alias } }
}
