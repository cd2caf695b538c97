import { apply, type Expression, word } from '../shape/query-shape.js'
import { medianToPercentile, percentileToCommon } from './aggregates.js'
import { bitwiseNot, shiftLeft } from './bit-operations.js'
import {
  castToDay,
  concatAll,
  type FunctionTable,
  ifToCase,
  labelledPart,
  numberLiteral,
  positionOf,
  renameTo,
  textLiteral,
  textLiteralValue,
  unitBoundaries,
} from './function-table.js'
import { hashText, sha2 } from './hashes.js'
import { variantKey, variantPath } from './json-paths.js'
import { stringAgg, withinGroup } from './string-aggregates.js'
import {
  containsText,
  dateFromParts,
  decodeToCase,
  firstMatch,
  regexpReplaceAll,
  repeatSpaces,
  split,
  splitPart,
} from './string-functions.js'
import { formatTime, parseTime } from './time-formats.js'
import { isoWeekday } from './weekdays.js'

export const snowflake: FunctionTable = new Map([
  ['greatest', (args) => apply('greatest_of_all', ...args)],
  ['least', (args) => apply('least_of_all', ...args)],
  ['median', medianToPercentile],
  ['bitnot', bitwiseNot],
  ['bitshiftleft', shiftLeft],
  ['array_size', renameTo('cardinality', 1)],
  ['contains', containsText],
  ['yearofweekiso', renameTo('iso_year', 1)],
  ['parse_json', renameTo('parse_json', 1)],
  ['equal_null', renameTo('null_safe_eq', 2)],
  ['dayname', ([date]) => date && apply('format_time', textLiteral('%a'), date)],
  ['monthname', ([date]) => date && apply('format_time', textLiteral('%b'), date)],
  ['split_part', splitPart],
  ['split', split],
  ['bitand', renameTo('bitwise_and', 2)],
  ['bitor', renameTo('bitwise_or', 2)],
  ['bitxor', renameTo('bitwise_xor', 2)],
  ['editdistance', renameTo('levenshtein', 2)],
  ['regexp_replace', regexpReplaceAll],
  ['regexp_substr', firstMatch],
  ['transform', renameTo('transform', 2)],
  ['filter', renameTo('filter', 2)],
  ['space', repeatSpaces],
  ['date_from_parts', dateFromParts],
  ['datefromparts', dateFromParts],
  ['decode', decodeToCase],
  ['bitand_agg', renameTo('bit_and_agg', 1)],
  ['bitor_agg', renameTo('bit_or_agg', 1)],
  ['/', (args) => (args.length === 2 ? apply('fdiv', ...args) : undefined)],
  ['iff', ifToCase],
  ['charindex', ([part, value, from]) => (from === undefined ? positionOf(value, part) : undefined)],
  ['strpos', ([value, part]) => positionOf(value, part)],
  ['zeroifnull', ([value]) => value && apply('coalesce', value, numberLiteral('0'))],
  ['nullifzero', ([value]) => value && apply('nullif', value, numberLiteral('0'))],
  ['len', renameTo('length', 1)],
  ['dayofweekiso', ([date]) => date && isoWeekday(date)],
  ['weekiso', renameTo('week_of_year', 1)],
  ['date_diff', (args) => difference(args)],
  ['to_char', ([value, format]) => toCharOrCast(value, format)],
  ['to_varchar', ([value, format]) => toCharOrCast(value, format)],
  ['to_date', ([value, format]) => toDate(value, format)],
  ['date', ([value, format]) => toDate(value, format)],
  ['to_timestamp', ([value, format]) => parseTime(value, format, 'snowflake', 'moment')],
  ['concat', concatAll],
  ['concat_ws', joinedBy],
  ['j_s_o_n_extract', (args) => (args.length === 3 ? variantPath(args) : undefined)],
  ['get_path', variantPath],
  ['cast', ([value, type]) => scalarOf(value, type)],
  ['get', variantKey],
  ['subscript', variantKey],
  ['list_agg', (args) => stringAgg(args, '')],
  ['within_group', (args) => withinGroup(args) ?? percentileToCommon(args)],
  ['md5', hashText('md5')],
  ['sha1', hashText('sha1')],
  ['sha2', sha2],
  // Patterns of REGEXP_LIKE are of the whole text here.
  ['regexp_like', (args) => apply('regexp_like_whole', ...args)],
])

/** `CONCAT_WS(', ', a, b)` is NULL where one of them is. */
function joinedBy([separator, ...texts]: readonly Expression[]): Expression | undefined {
  return separator && concatAll(texts.flatMap((part, at) => (at === 0 ? [part] : [separator, part])))
}

/** The parser puts the later moment first. */
function difference(args: readonly Expression[]): Expression | undefined {
  return unitBoundaries(labelledPart(args, 'unit'), labelledPart(args, 'expression'), args[0])
}

/** `TO_DATE(x)` without a format is a cast. */
function toDate(value: Expression | undefined, format: Expression | undefined): Expression | undefined {
  return value !== undefined && format === undefined
    ? castToDay(value)
    : parseTime(value, format, 'snowflake', 'date')
}

/** `x:a::text` is the text of a JSON value. */
function scalarOf(value: Expression | undefined, type: Expression | undefined): Expression | undefined {
  if (value?.kind !== 'apply' || value.op.replace(/ of .*$/u, '') !== 'get_path') return undefined
  const [inner, path] = value.args
  const isText = type?.kind === 'literal' && /^(?:text|var_?char|string)$/u.test(type.value)
  const keys = textLiteralValue(path)
  return inner !== undefined && isText && keys !== undefined && /^[\w.]+$/u.test(keys)
    ? apply('json_extract_scalar', inner, textLiteral(`$.${keys}`))
    : undefined
}

function toCharOrCast(value: Expression | undefined, format: Expression | undefined): Expression | undefined {
  if (value !== undefined && format === undefined) return apply('cast', value, word('text'))
  return formatTime(value, format, 'snowflake')
}
