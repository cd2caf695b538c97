/** Our normal form of a query, independent of the parser: names are bound to the tables they come from. */

/** Number of a table, derived table or table function in FROM; unique within one query text. */
export type SourceId = number

export interface OuterColumn {
  readonly source: SourceId | undefined
  readonly output: number | undefined
}

export type Expression =
  /** `source` is undefined where the name could not be bound; `output` is the position in a derived table. */
  | {
      readonly kind: 'column'
      readonly source: SourceId | undefined
      readonly name: string
      readonly output?: number | undefined
      /** Written in double quotes where SQLite falls back to a string; its unfolded text. */
      readonly maybeText?: string | undefined
      /** Written without its table in a subquery: may be this column of a query around it, as its table is not known to have it. */
      readonly outer?: OuterColumn | undefined
    }
  /** `type` is number, text, date, boolean, null, word or the parser's name; numbers in plain decimal form. */
  | {
      readonly kind: 'literal'
      readonly type: string
      readonly value: string
      /** A number that was written as TRUE or FALSE. */
      readonly isTruth?: true | undefined
      /** A unit of time that was written as the format of a text. */
      readonly isFormat?: true | undefined
    }
  /** Operator, function or any clause: `and`, `=`, `sum`, `cast`, and `field:name` for parts we do not model. */
  | { readonly kind: 'apply'; readonly op: string; readonly args: readonly Expression[] }
  | { readonly kind: 'query'; readonly query: QueryShape }

export interface OrderItem {
  readonly by: Expression
  readonly descending: boolean
  /** Undefined where not written: dialects differ in their default. */
  readonly nullsFirst: boolean | undefined
  readonly extras: readonly Expression[]
}

export type FromNode =
  | {
      readonly kind: 'table'
      readonly id: SourceId
      readonly name: string
      readonly extras: readonly Expression[]
    }
  | {
      readonly kind: 'derived'
      readonly id: SourceId
      readonly query: QueryShape
      /** Name in the text, for people; never part of the canonical form. */
      readonly alias: string | undefined
      readonly extras: readonly Expression[]
    }
  | {
      readonly kind: 'function'
      readonly id: SourceId
      readonly call: Expression
      readonly extras: readonly Expression[]
    }
  | {
      readonly kind: 'join'
      /** inner, left, right, full, or a kind that is kept as written. */
      readonly join: string
      readonly left: FromNode
      readonly right: FromNode
      readonly on: Expression | undefined
      readonly extras: readonly Expression[]
    }

export interface SelectShape {
  readonly kind: 'select'
  readonly distinct: boolean
  readonly outputs: readonly Expression[]
  /** Names of the outputs, to bind what refers to them; never part of the canonical form. */
  readonly names: readonly (string | undefined)[]
  readonly from: FromNode | undefined
  readonly where: Expression | undefined
  readonly groupBy: readonly Expression[]
  readonly having: Expression | undefined
  readonly qualify: Expression | undefined
  readonly orderBy: readonly OrderItem[]
  readonly limit: Expression | undefined
  readonly offset: Expression | undefined
  /** The order of the outputs matters: operand of a set operation, IN list, recursion. */
  readonly positional: boolean
  /** Clauses that are not modelled, each as `field:name`. */
  readonly extras: readonly Expression[]
}

/** UNION, INTERSECT, EXCEPT; `group` is a parenthesised query with clauses of its own; `recursive` a fixpoint. */
export interface SetShape {
  readonly kind: 'set'
  readonly operation: 'union' | 'intersect' | 'except' | 'group' | 'recursive' | 'values'
  readonly all: boolean
  readonly operands: readonly QueryShape[]
  readonly orderBy: readonly OrderItem[]
  readonly limit: Expression | undefined
  readonly offset: Expression | undefined
  readonly extras: readonly Expression[]
}

export type QueryShape = SelectShape | SetShape

/** Of nothing, without outputs: what a SELECT is built upon. */
export const emptySelect: SelectShape = {
  kind: 'select',
  distinct: false,
  outputs: [],
  names: [],
  from: undefined,
  where: undefined,
  groupBy: [],
  having: undefined,
  qualify: undefined,
  orderBy: [],
  limit: undefined,
  offset: undefined,
  positional: false,
  extras: [],
}

/** The rows of all operands, repeated ones too. */
export function unionAll(operands: readonly QueryShape[]): SetShape {
  return {
    kind: 'set',
    operation: 'union',
    all: true,
    operands,
    orderBy: [],
    limit: undefined,
    offset: undefined,
    extras: [],
  }
}

/** The SELECT whose columns name the columns of the whole query. */
export function firstSelect(query: QueryShape): SelectShape | undefined {
  if (query.kind === 'select') return query
  const [first] = query.operands
  return first === undefined ? undefined : firstSelect(first)
}

/** Whether an output stands for columns that are not listed. */
export function isStar(output: Expression): boolean {
  return output.kind === 'column' ? output.name === '*' : output.kind === 'apply' && output.op === 'star'
}

export function apply(op: string, ...args: readonly Expression[]): Expression {
  return { kind: 'apply', op, args }
}

export function word(value: string): Expression {
  return { kind: 'literal', type: 'word', value }
}

/** A labelled part of a node or clause that is not modelled. */
export function field(name: string, ...args: readonly Expression[]): Expression {
  return { kind: 'apply', op: `field:${name}`, args }
}

/** The conjuncts of a condition, without nested ANDs. */
export function conjuncts(condition: Expression | undefined): readonly Expression[] {
  if (condition === undefined) return []
  return condition.kind === 'apply' && condition.op === 'and'
    ? condition.args.flatMap(conjuncts)
    : [condition]
}

export function conjunction(conditions: readonly Expression[]): Expression | undefined {
  const [only] = conditions
  return conditions.length > 1 ? apply('and', ...conditions) : only
}
