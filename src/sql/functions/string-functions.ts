import { apply, type Expression } from '../shape/query-shape.js'
import {
  dateLiteral,
  isNumberLiteral,
  labelledPart,
  numberLiteral,
  textLiteral,
  textLiteralValue,
} from './function-table.js'

/**
 * `SPLIT_PART(x, ',', 2)` where a part that is not there is an empty text; a delimiter that is empty, and places from the
 * end, mean different things.
 */
export function splitPart([value, delimiter, place, ...rest]: readonly Expression[]): Expression | undefined {
  const isPlace = place?.kind === 'literal' && place.type === 'number' && /^[1-9]\d*$/u.test(place.value)
  if (value === undefined || delimiter === undefined || !isPlace || rest.length > 0) return undefined
  return (textLiteralValue(delimiter) ?? '') === ''
    ? undefined
    : apply('split_part_or_empty', value, delimiter, place)
}

/** As `splitPart` of the first part, which is there always. */
export function firstSplitPart(args: readonly Expression[]): Expression | undefined {
  const [, , place] = args
  return place?.kind === 'literal' && place.value === '1' ? splitPart(args) : undefined
}

/** `SPLIT(x, ',')` of a delimiter that is not empty. */
export function split([value, delimiter = textLiteral(','), ...rest]: readonly Expression[]):
  | Expression
  | undefined {
  return value === undefined || rest.length > 0 || (textLiteralValue(delimiter) ?? '') === ''
    ? undefined
    : apply('string_split', value, delimiter)
}

/** `REGEXP_REPLACE` of all matches; what replaces them names no group. */
export function regexpReplaceAll([value, pattern, by, ...rest]: readonly Expression[]):
  | Expression
  | undefined {
  const isPlain = /^[^\\$&]*$/u.test(textLiteralValue(by) ?? '$')
  return value === undefined || pattern === undefined || by === undefined || !isPlain || rest.length > 0
    ? undefined
    : apply('regexp_replace_all', value, pattern, by)
}

/** As `replacedMatches` where 'g' asks for it. */
export function regexpReplaceGlobal(args: readonly Expression[]): Expression | undefined {
  const [value, pattern, by, flags] = args
  if (value === undefined || pattern === undefined || by === undefined || args.length !== 4) return undefined
  return textLiteralValue(flags) === 'g' ? regexpReplaceAll([value, pattern, by]) : undefined
}

/** The first match of a pattern without groups, NULL where there is none. */
export function firstMatch([value, pattern, ...rest]: readonly Expression[]): Expression | undefined {
  const isPlain = /^[^(]+$/u.test(textLiteralValue(pattern) ?? '(')
  return value === undefined || pattern === undefined || !isPlain || rest.length > 0
    ? undefined
    : apply('regexp_first_match', value, pattern)
}

/** `TRANSLATE(x, 'abc', 'xyz')`: each letter by another one. */
export function translateCharacters(args: readonly Expression[]): Expression | undefined {
  const [, from, to] = args.map(textLiteralValue)
  const isPlain = from !== undefined && from.length === to?.length && new Set(from).size === from.length
  return args.length === 3 && isPlain ? apply('translate_letters', ...args) : undefined
}

/** `SPACE(3)`. */
export function repeatSpaces([count, ...rest]: readonly Expression[]): Expression | undefined {
  return count === undefined || rest.length > 0 ? undefined : apply('repeat', textLiteral(' '), count)
}

/** `a ^@ b` is `starts_with(a, b)`. */
export function startsWith(args: readonly Expression[]): Expression | undefined {
  const [value] = args
  const start = labelledPart(args, 'expression')
  return value !== undefined && start !== undefined ? apply('starts_with', value, start) : undefined
}

/** `LOG(2, x)`; the parser puts the base where it belongs. */
export function logarithm(args: readonly Expression[]): Expression | undefined {
  const [value] = args
  const base = labelledPart(args, 'base')
  return value !== undefined && base !== undefined && args.length === 2
    ? apply('log_base', value, base)
    : undefined
}

/** `TRUNC(x, 0)` and `ROUND(x, 0)` as without the 0. */
export function dropZeroDigits(op: string): (args: readonly Expression[]) => Expression | undefined {
  return ([value, digits, ...rest]) => {
    return value !== undefined && isNumberLiteral(digits, '0') && rest.length === 0
      ? apply(op, value)
      : undefined
  }
}

/** As `dayFrom`, where parts that make no day are an error. */
export function makeDate(args: readonly Expression[]): Expression | undefined {
  return dateFromParts(args) ?? (args.length === 3 ? apply('make_date', ...args) : undefined)
}

/** The day of a year, a month and a day; as a literal where they are. */
export function dateFromParts(args: readonly Expression[]): Expression | undefined {
  const [year, month, day] = args.map((arg) =>
    arg.kind === 'literal' && arg.type === 'number' ? arg.value : '',
  )
  if (args.length !== 3 || !/^[1-9]\d{3}$/u.test(year ?? '')) return undefined
  const written = `${year}-${month?.padStart(2, '0')}-${day?.padStart(2, '0')}`
  const moment = new Date(`${written}T00:00:00Z`)
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(written)
    ? dateLiteral(written)
    : undefined
}

/** `DECODE(x, 1, 'a', 'b')` compares NULL with NULL, which no literal is. */
export function decodeToCase(args: readonly Expression[]): Expression | undefined {
  const [value, ...rest] = args
  if (value === undefined || rest.length < 2) return undefined
  const isOdd = rest.length % 2 === 1
  const pairs = isOdd ? rest.slice(0, -1) : rest
  const wanted = pairs.filter((_, at) => at % 2 === 0)
  if (!wanted.every((part) => part.kind === 'literal' && part.type !== 'null')) return undefined
  const whens = wanted.map((part, at) => apply('when', part, pairs[2 * at + 1] ?? numberLiteral('0')))
  const last = rest.at(-1)
  return apply(
    'case',
    apply('of', value),
    ...whens,
    ...(isOdd && last !== undefined ? [apply('else', last)] : []),
  )
}

/** The group of the first match of a pattern with one group, NULL where there is none. */
function firstGroup([value, pattern, ...rest]: readonly Expression[]): Expression | undefined {
  const groups = (textLiteralValue(pattern) ?? '').replace(/\\.|\[[^\]]*\]/gsu, '').match(/\((?!\?)/gu)
  const hasOne = groups?.length === 1
  return value === undefined || pattern === undefined || !hasOne || rest.length > 0
    ? undefined
    : apply('regexp_first_group', value, pattern)
}

/** `CONTAINS(x, 'a')` of texts. */
export function containsText([value, part, ...rest]: readonly Expression[]): Expression | undefined {
  const written = textLiteralValue(part)
  const isPlain = written !== undefined && !/[%_\\]/u.test(written)
  return value === undefined || !isPlain || rest.length > 0
    ? undefined
    : apply('like', value, textLiteral(`%${written}%`))
}

/** `EXTRACT` by a pattern: its group, or the whole match where it has none. */
export function firstMatchOrGroup(args: readonly Expression[]): Expression | undefined {
  return firstMatch(args) ?? firstGroup(args)
}
