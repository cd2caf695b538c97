import type { Dialect } from '../../enums/dialect.js'
import { labelledPart } from '../functions/function-table.js'
import type { Assumptions } from '../relational/assumptions.js'
import { isSameExpression } from '../relational/column-references.js'
import { defaultNullsFirst, nullFlagsToNullOrder } from '../relational/order/null-ordering.js'
import { type Expression, type OrderItem, word } from '../shape/query-shape.js'
import { mapAll } from '../shape/rewrite-query.js'

/** Tests of a value for NULLs, based on the tables. */
export interface NullTests {
  isNeverNull(value: Expression): boolean
  /** Whether an outer join may make some. */
  isOptional(value: Expression): boolean
}

/**
 * Says for each ordering key of a window, or of an aggregate, where its NULLs go: nowhere, in two dialects, if it has none.
 */
export function normalizeWindowOrder(
  expression: Expression,
  dialect: Dialect,
  assumptions: Assumptions,
  nulls: NullTests,
): Expression {
  if (expression.kind === 'apply' && expression.op === 'string_agg') return withoutOwnNulls(expression)
  if (expression.kind !== 'apply' || expression.op !== 'field:order_by') return expression
  const items = expression.args.map(itemOf)
  if (!items.every((item) => item !== undefined)) return expression
  const plain = nullFlagsToNullOrder(items.filter((item) => item !== undefined))
  return {
    ...expression,
    args: plain.map((item) => {
      const assume = (): boolean =>
        item.nullsFirst === undefined && !nulls.isOptional(item.by)
          ? assumptions.assumeDialectDefault('nulls', neverNull)
          : assumptions.assume('nulls', neverNull)
      const isFull = assumptions.isCrossDialect && (nulls.isNeverNull(item.by) || assume())
      return termOf(item, isFull ? undefined : placeOf(item, dialect))
    }),
  }
}

const neverNull = 'what orders the rows of a window or an aggregate is never NULL'

function placeOf(item: OrderItem, dialect: Dialect): boolean | undefined {
  return item.nullsFirst ?? defaultNullsFirst(item, dialect)
}

/** Where the texts that are joined order themselves, NULLs have no place: they are not among them. */
function withoutOwnNulls(call: Expression & { kind: 'apply' }): Expression {
  const [first] = call.args
  const value = first?.kind === 'apply' && first.op === 'distinct' ? first.args[0] : first
  const args = mapAll(call.args, (arg) =>
    arg.kind === 'apply' && arg.op === 'field:order_by'
      ? withArgs(
          arg,
          mapAll(arg.args, (term) => withoutNulls(term, value)),
        )
      : arg,
  )
  return withArgs(call, args)
}

function withoutNulls(term: Expression, value: Expression | undefined): Expression {
  const [by] = term.kind === 'apply' ? term.args : []
  const isOwn = by !== undefined && value !== undefined && isSameExpression(by, value)
  return isOwn && term.kind === 'apply' && term.args.length > 1 ? { ...term, args: [by] } : term
}

function withArgs(call: Expression & { kind: 'apply' }, args: readonly Expression[]): Expression {
  return args === call.args ? call : { ...call, args }
}

function itemOf(term: Expression): OrderItem | undefined {
  if (term.kind === 'apply' && term.op === 'record') return recordedItem(term.args)
  if (term.kind !== 'apply' || (term.op !== 'asc' && term.op !== 'desc')) return undefined
  const [by, nulls, ...rest] = term.args
  const isWritten = nulls?.kind === 'literal' && nulls.type === 'word'
  if (by === undefined || (nulls !== undefined && !isWritten) || rest.length > 0) return undefined
  const nullsFirst = isWritten ? nulls.value === 'nulls first' : undefined
  return { by, descending: term.op === 'desc', nullsFirst, extras: [] }
}

const flags: ReadonlySet<string> = new Set(['field:this', 'field:desc', 'field:nulls_first'])

/** A key as the parser gives it in an aggregate: parts with labels. */
function recordedItem(parts: readonly Expression[]): OrderItem | undefined {
  const by = labelledPart(parts, 'this')
  const isKnown = parts.every((part) => part.kind === 'apply' && flags.has(part.op))
  if (by === undefined || !isKnown) return undefined
  const isSet = (name: string): boolean | undefined => truthOf(labelledPart(parts, name))
  return { by, descending: isSet('desc') === true, nullsFirst: isSet('nulls_first'), extras: [] }
}

function truthOf(flag: Expression | undefined): boolean | undefined {
  return flag?.kind === 'literal' ? flag.value === 'true' : undefined
}

function termOf(item: OrderItem, nullsFirst: boolean | undefined): Expression {
  const nulls = nullsFirst === undefined ? [] : [word(nullsFirst ? 'nulls first' : 'nulls last')]
  return { kind: 'apply', op: item.descending ? 'desc' : 'asc', args: [item.by, ...nulls] }
}
