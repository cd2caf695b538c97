import { apply, type Expression, word } from '../shape/query-shape.js'
import { median, percentile } from './aggregates.js'
import { complement, shiftedLeft } from './bits.js'
import { hashText, sha2 } from './hashes.js'
import { variantKey, variantPath } from './json-paths.js'
import { textsJoined, withinGroup } from './string-aggregates.js'
import {
  chosen,
  dayOf,
  type FunctionTable,
  joined,
  named,
  number,
  partOf,
  positionOf,
  text,
  textOf,
  unitBoundaries,
} from './table.js'
import {
  containsText,
  dayFrom,
  decoded,
  firstMatch,
  replacedMatches,
  spaces,
  split,
  splitPart,
} from './texts.js'
import { formatted, parsed } from './time-formats.js'
import { isoWeekday } from './weekdays.js'

export const snowflake: FunctionTable = new Map([
  ['greatest', (args) => apply('greatest_of_all', ...args)],
  ['least', (args) => apply('least_of_all', ...args)],
  ['median', median],
  ['bitnot', complement],
  ['bitshiftleft', shiftedLeft],
  ['array_size', named('cardinality', 1)],
  ['contains', containsText],
  ['yearofweekiso', named('iso_year', 1)],
  ['parse_json', named('parse_json', 1)],
  ['equal_null', named('null_safe_eq', 2)],
  ['dayname', ([date]) => date && apply('format_time', text('%a'), date)],
  ['monthname', ([date]) => date && apply('format_time', text('%b'), date)],
  ['split_part', splitPart],
  ['split', split],
  ['bitand', named('bitwise_and', 2)],
  ['bitor', named('bitwise_or', 2)],
  ['bitxor', named('bitwise_xor', 2)],
  ['editdistance', named('levenshtein', 2)],
  ['regexp_replace', replacedMatches],
  ['regexp_substr', firstMatch],
  ['transform', named('transform', 2)],
  ['filter', named('filter', 2)],
  ['space', spaces],
  ['date_from_parts', dayFrom],
  ['datefromparts', dayFrom],
  ['decode', decoded],
  ['bitand_agg', named('bit_and_agg', 1)],
  ['bitor_agg', named('bit_or_agg', 1)],
  ['/', (args) => (args.length === 2 ? apply('fdiv', ...args) : undefined)],
  ['iff', chosen],
  ['charindex', ([part, value, from]) => (from === undefined ? positionOf(value, part) : undefined)],
  ['strpos', ([value, part]) => positionOf(value, part)],
  ['zeroifnull', ([value]) => value && apply('coalesce', value, number('0'))],
  ['nullifzero', ([value]) => value && apply('nullif', value, number('0'))],
  ['len', named('length', 1)],
  ['dayofweekiso', ([date]) => date && isoWeekday(date)],
  ['weekiso', named('week_of_year', 1)],
  ['date_diff', (args) => difference(args)],
  ['to_char', ([value, format]) => written(value, format)],
  ['to_varchar', ([value, format]) => written(value, format)],
  ['to_date', ([value, format]) => dayRead(value, format)],
  ['date', ([value, format]) => dayRead(value, format)],
  ['to_timestamp', ([value, format]) => parsed(value, format, 'snowflake', 'moment')],
  ['concat', joined],
  ['concat_ws', joinedBy],
  ['j_s_o_n_extract', (args) => (args.length === 3 ? variantPath(args) : undefined)],
  ['get_path', variantPath],
  ['cast', ([value, type]) => scalarOf(value, type)],
  ['get', variantKey],
  ['subscript', variantKey],
  ['list_agg', (args) => textsJoined(args, '')],
  ['within_group', (args) => withinGroup(args) ?? percentile(args)],
  ['md5', hashText('md5')],
  ['sha1', hashText('sha1')],
  ['sha2', sha2],
  // Patterns of REGEXP_LIKE are of the whole text here.
  ['regexp_like', (args) => apply('regexp_like_whole', ...args)],
])

/** `CONCAT_WS(', ', a, b)` is NULL where one of them is. */
function joinedBy([separator, ...texts]: readonly Expression[]): Expression | undefined {
  return separator && joined(texts.flatMap((part, at) => (at === 0 ? [part] : [separator, part])))
}

/** The parser puts the later moment first. */
function difference(args: readonly Expression[]): Expression | undefined {
  return unitBoundaries(partOf(args, 'unit'), partOf(args, 'expression'), args[0])
}

/** `TO_DATE(x)` without a format is a cast. */
function dayRead(value: Expression | undefined, format: Expression | undefined): Expression | undefined {
  return value !== undefined && format === undefined
    ? dayOf(value)
    : parsed(value, format, 'snowflake', 'date')
}

/** `x:a::text` is the text of a JSON value. */
function scalarOf(value: Expression | undefined, type: Expression | undefined): Expression | undefined {
  if (value?.kind !== 'apply' || value.op.replace(/ of .*$/u, '') !== 'get_path') return undefined
  const [inner, path] = value.args
  const isText = type?.kind === 'literal' && /^(?:text|var_?char|string)$/u.test(type.value)
  const keys = textOf(path)
  return inner !== undefined && isText && keys !== undefined && /^[\w.]+$/u.test(keys)
    ? apply('json_extract_scalar', inner, text(`$.${keys}`))
    : undefined
}

function written(value: Expression | undefined, format: Expression | undefined): Expression | undefined {
  if (value !== undefined && format === undefined) return apply('cast', value, word('text'))
  return formatted(value, format, 'snowflake')
}
