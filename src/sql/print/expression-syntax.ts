import type { Expression } from '../shape/query-shape.js'
import { printModifiedCall, printNamedCall, printWithinGroup } from './call-syntax.js'
import { printFrame } from './frame-syntax.js'
import { hasExactly, isTrue, type LabelledParts, partsOf, singlePart, wordOf } from './labelled-parts.js'
import { printType } from './type-syntax.js'

/** Prints parts of what is spelled. */
export interface OperandPrinters {
  /** Between brackets or commas. */
  print(part: Expression): string
  /** Beside an operator: in brackets, unless it is one value, name or call. */
  operand(part: Expression): string
}

type SyntaxPrinter = (parts: LabelledParts, spelling: OperandPrinters) => string | undefined

/**
 * Calls as SQL writes them, by what the parser calls them; undefined where one has other parts than the spelling shows.
 * A spelling must say all that it is given, and no other call may be spelled so: texts that are the same are one form.
 */
const syntaxPrinters: ReadonlyMap<string, SyntaxPrinter> = new Map<string, SyntaxPrinter>([
  ['cast', (parts, { print }) => castOf(parts, print)],
  ['try_cast', (parts, { print }) => castOf(parts, print, 'TRY_CAST')],
  ['interval', (parts, { operand }) => intervalOf(parts, operand)],
  ['array_func', (parts, { print }) => arrayOf(parts, print)],
  ['map_func', (parts, { print }) => mapOf(parts, print)],
  ['subscript', (parts, to) => binary(parts, 'index', (x, at) => `${to.operand(x)}[${to.print(at)}]`)],
  ['dot', (parts, { print }) => ofWord(parts, (x, name) => `(${print(x)}).${name}`)],
  ['alias', (parts, { print }) => binary(parts, 'alias', (x, name) => `${print(x)} AS ${wordOf(name)}`)],
  ['lambda', (parts, { print }) => lambdaOf(parts, print)],
  ['extract', (parts, { print }) => extractOf(parts, print)],
  [
    'collation',
    (parts, to) => labelledWord(parts, 'collation', (x, name) => `${to.operand(x)} COLLATE ${name}`),
  ],
  ['trim', (parts, { print }) => trimOf(parts, print)],
  ['at_time_zone', infix('zone', 'AT TIME ZONE')],
  [
    'fdiv',
    ({ plain: [x, by, ...others], labelled }, { operand }) =>
      x && by && others.length + labelled.size === 0
        ? `unrounded(${operand(x)} / ${operand(by)})`
        : undefined,
  ],
  ['regexp_like', infix('pattern', '~')],
  ['similar_to', infix('pattern', 'SIMILAR TO')],
  ['regexp_i_like', between('~*')],
  ['i_like', between('ILIKE')],
  ['glob', between('GLOB')],
  ['is', between('IS')],
  ['all', (parts, { operand, print }) => quantified(parts, operand, print)],
  [
    'neg',
    ({ plain: [x, ...others], labelled }, { operand }) =>
      x && others.length + labelled.size === 0 ? `-${operand(x)}` : undefined,
  ],
  ['array_slice', (parts, to) => sliceOf(parts, to)],
  ['j_s_o_n_extract', (parts, { operand }) => variantPath(parts, operand)],
  ['date_diff', (parts, { print }) => dateDiff(parts, print)],
  ['named_argument', (parts, { print }) => argumentOf(parts, print)],
  ['is_not_distinct', between('IS NOT DISTINCT FROM')],
  ['null_safe_neq', between('IS DISTINCT FROM')],
  ['like', (parts, to) => likeOf(parts, to)],
  ['json_extract', arrow('->')],
  ['json_extract_scalar', arrow('->>')],
  [
    'str_position',
    (parts, { print }) => binary(parts, 'substr', (x, y) => `position(${print(y)} IN ${print(x)})`),
  ],
  [
    'unnest',
    (parts, { print }) =>
      flagged(parts, 'with_ordinality', `unnest(${list(parts.plain, print)}) WITH ORDINALITY`),
  ],
  ['aggregate_function', (parts, { print }) => printNamedCall(parts, print)],
  ['field:frame', (parts, { print }) => printFrame(parts, print)],
  ['within_group', (parts, { print }) => printWithinGroup(parts, print)],
])

/** How SQL writes a call; undefined where only its parts can be listed. */
export function printSyntax(
  op: string,
  args: readonly Expression[],
  spelling: OperandPrinters,
): string | undefined {
  return syntaxPrinters.get(op)?.(partsOf(args), spelling) ?? printModifiedCall(op, args, spelling.print)
}

function list(parts: readonly Expression[], print: OperandPrinters['print']): string {
  return parts.map(print).join(', ')
}

/** A value and one part with a label. */
function binary(
  parts: LabelledParts,
  label: string,
  write: (x: Expression, other: Expression) => string,
): string | undefined {
  const [x, other] = [parts.plain[0], singlePart(parts, label)]
  return hasExactly(parts, 1, label) && x !== undefined && other !== undefined ? write(x, other) : undefined
}

function labelledWord(
  parts: LabelledParts,
  label: string,
  write: (x: Expression, word: string) => string,
): string | undefined {
  const word = wordOf(singlePart(parts, label))
  return word === undefined ? undefined : binary(parts, label, (x) => write(x, word))
}

function ofWord(
  { plain, labelled }: LabelledParts,
  write: (x: Expression, word: string) => string,
): string | undefined {
  const [x, word] = [plain[0], wordOf(plain[1])]
  return x !== undefined && word !== undefined && plain.length === 2 && labelled.size === 0
    ? write(x, word)
    : undefined
}

function flagged(parts: LabelledParts, flag: string, text: string): string | undefined {
  return hasExactly(parts, parts.plain.length, flag) && isTrue(singlePart(parts, flag)) ? text : undefined
}

function infix(label: string, operator: string): SyntaxPrinter {
  return (parts, { operand }) => binary(parts, label, (x, y) => `${operand(x)} ${operator} ${operand(y)}`)
}

function between(operator: string): SyntaxPrinter {
  return ({ plain, labelled }, { operand }) =>
    plain.length === 2 && labelled.size === 0 ? plain.map(operand).join(` ${operator} `) : undefined
}

function arrow(operator: string): SyntaxPrinter {
  return (parts, { operand }) => {
    const [x, path] = [parts.plain[0], singlePart(parts, 'path')]
    if (!hasExactly(parts, 1, 'arrow_syntax', 'path') || x === undefined || path === undefined)
      return undefined
    return isTrue(singlePart(parts, 'arrow_syntax'))
      ? `${operand(x)} ${operator} ${operand(path)}`
      : undefined
  }
}

function castOf(
  { plain, labelled }: LabelledParts,
  print: OperandPrinters['print'],
  call = 'CAST',
): string | undefined {
  const [x, type] = plain
  if (plain.length !== 2 || labelled.size > 0 || x === undefined || type?.kind !== 'literal') return undefined
  return `${call}(${print(x)} AS ${printType(type.value)})`
}

function intervalOf(parts: LabelledParts, operand: OperandPrinters['operand']): string | undefined {
  const [x, unit] = parts.plain
  if (x === undefined) return undefined
  if (hasExactly(parts, 1)) return `INTERVAL ${operand(x)}`
  // In lower case where it was reckoned, not written: `INTERVAL 14 day` for two weeks.
  if (hasExactly(parts, 2) && wordOf(unit) !== undefined) return `INTERVAL ${operand(x)} ${wordOf(unit)}`
  const written = singlePart(parts, 'unit')
  if (!hasExactly(parts, 1, 'unit') || written?.kind !== 'apply' || written.op !== 'record') return undefined
  const record = partsOf(written.args)
  const name = wordOf(singlePart(record, 'unit'))
  const isSimple = hasExactly(record, 0, 'type', 'unit') && wordOf(singlePart(record, 'type')) === 'simple'
  return isSimple && name !== undefined ? `INTERVAL ${operand(x)} ${name.toUpperCase()}` : undefined
}

function arrayOf(parts: LabelledParts, print: OperandPrinters['print']): string | undefined {
  if (hasExactly(parts, parts.plain.length)) return `ARRAY[${list(parts.plain, print)}]`
  const items = parts.labelled.get('expressions') ?? []
  const isBare = parts.labelled.has('expressions') ? 2 : 1
  if (parts.plain.length > 0 || parts.labelled.size !== isBare) return undefined
  return isTrue(singlePart(parts, 'bracket_notation')) ? `[${list(items, print)}]` : undefined
}

function mapOf(parts: LabelledParts, print: OperandPrinters['print']): string | undefined {
  const [keys, values] = [parts.labelled.get('keys') ?? [], parts.labelled.get('values') ?? []]
  const isMap = isTrue(singlePart(parts, 'with_map_keyword'))
  const labels = ['curly_brace_syntax', 'keys', 'values', ...(isMap ? ['with_map_keyword'] : [])]
  if (!hasExactly(parts, 0, ...labels) || keys.length !== values.length) return undefined
  if (!isTrue(singlePart(parts, 'curly_brace_syntax'))) return undefined
  const pairs = keys.map((key, at) => `${print(key)}: ${list(values.slice(at, at + 1), print)}`)
  return `${isMap ? 'MAP ' : ''}{${pairs.join(', ')}}`
}

function lambdaOf(parts: LabelledParts, print: OperandPrinters['print']): string | undefined {
  const [body, names] = [singlePart(parts, 'body'), parts.labelled.get('parameters')?.map(wordOf)]
  if (!hasExactly(parts, 0, 'body', 'parameters') || body === undefined || names === undefined)
    return undefined
  return names.includes(undefined) ? undefined : `lambda ${names.join(', ')}: (${print(body)})`
}

function extractOf(parts: LabelledParts, print: OperandPrinters['print']): string | undefined {
  return binary(parts, 'field', (x, field) => {
    const own =
      field.kind === 'apply' && field.op === 'Custom' && field.args.length === 1 ? field.args[0] : field
    const unit = wordOf(own)?.toLowerCase() ?? print(field)
    return `EXTRACT(${unit} FROM ${print(x)})`
  })
}

function trimOf(parts: LabelledParts, print: OperandPrinters['print']): string | undefined {
  const [x, characters] = [parts.plain[0], singlePart(parts, 'characters')]
  const where = wordOf(singlePart(parts, 'position'))
  if (x === undefined || where === undefined) return undefined
  if (hasExactly(parts, 1, 'position')) return where === 'Both' ? `trim(${print(x)})` : undefined
  const labels = ['characters', 'position', 'position_explicit', 'sql_standard_syntax']
  if (!hasExactly(parts, 1, ...labels) || characters === undefined) return undefined
  const isStandard = ['position_explicit', 'sql_standard_syntax'].every((flag) =>
    isTrue(singlePart(parts, flag)),
  )
  return isStandard ? `TRIM(${where.toUpperCase()} ${print(characters)} FROM ${print(x)})` : undefined
}

function likeOf(parts: LabelledParts, { operand }: OperandPrinters): string | undefined {
  const [left, right, sign] = ['left', 'right', 'escape'].map((label) => singlePart(parts, label))
  if (!hasExactly(parts, 0, 'left', 'right', 'escape')) return undefined
  if (left === undefined || right === undefined || sign === undefined) return undefined
  return `${operand(left)} LIKE ${operand(right)} ESCAPE ${operand(sign)}`
}

const comparisons: ReadonlyMap<string | undefined, string> = new Map([
  ['Eq', '='],
  ['Neq', '<>'],
  ['Lt', '<'],
  ['Lte', '<='],
  ['Gt', '>'],
  ['Gte', '>='],
])

function quantified(
  parts: LabelledParts,
  operand: OperandPrinters['operand'],
  print: OperandPrinters['print'],
): string | undefined {
  const [x, query] = [parts.plain[0], singlePart(parts, 'subquery')]
  const operator = comparisons.get(wordOf(singlePart(parts, 'op')))
  if (!hasExactly(parts, 1, 'op', 'subquery') || x === undefined || query?.kind !== 'query') return undefined
  return operator === undefined ? undefined : `${operand(x)} ${operator} ALL ${print(query)}`
}

function sliceOf(parts: LabelledParts, { operand, print }: OperandPrinters): string | undefined {
  const [x, start, end] = [parts.plain[0], singlePart(parts, 'start'), singlePart(parts, 'end')]
  if (!hasExactly(parts, 1, 'start', 'end') || x === undefined || start === undefined || end === undefined)
    return undefined
  return `${operand(x)}[${print(start)}:${print(end)}]`
}

/** `x:a.b`, a path into a value of Snowflake. */
function variantPath(parts: LabelledParts, operand: OperandPrinters['operand']): string | undefined {
  const [x, path] = [parts.plain[0], singlePart(parts, 'expression')]
  if (!hasExactly(parts, 1, 'expression', 'variant_extract') || x === undefined || path === undefined)
    return undefined
  return isTrue(singlePart(parts, 'variant_extract')) ? `${operand(x)}:${operand(path)}` : undefined
}

function dateDiff(parts: LabelledParts, print: OperandPrinters['print']): string | undefined {
  const [later, earlier] = [parts.plain[0], singlePart(parts, 'expression')]
  const unit = wordOf(singlePart(parts, 'unit'))
  if (!hasExactly(parts, 1, 'expression', 'unit') || later === undefined || earlier === undefined)
    return undefined
  return unit === undefined
    ? undefined
    : `datediff(:${unit.toLowerCase()}, ${print(earlier)}, ${print(later)})`
}

function argumentOf(parts: LabelledParts, print: OperandPrinters['print']): string | undefined {
  const [name, value] = [wordOf(singlePart(parts, 'name')), singlePart(parts, 'value')]
  const sign = wordOf(singlePart(parts, 'separator')) === 'ColonEq' ? ':=' : undefined
  if (!hasExactly(parts, 0, 'name', 'separator', 'value') || sign === undefined) return undefined
  return name === undefined || value === undefined ? undefined : `${name} ${sign} ${print(value)}`
}
