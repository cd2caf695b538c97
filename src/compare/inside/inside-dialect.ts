import type { Column } from '../../engine/contract/engine.js'
import type { Dialect } from '../../enums/dialect.js'

/** How a pair of columns is compared. */
export type ColumnKind =
  /** Whole numbers, texts, days and what else is equal or not. */
  | 'exact'
  /** Numbers to which a tolerance applies. */
  | 'number'

/** A column of both results, and SQL of a cell that is the same for equal cells of both. */
export interface ComparedColumn {
  readonly kind: ColumnKind
  /** Given SQL of the cell. */
  readonly normalized: (cell: string) => string
  /** As a double, for sums. */
  readonly asDouble: (cell: string) => string
}

/** The SQL of an engine that compares results itself. */
export interface InsideDialect {
  /** Returns a 64-bit number that is the same for equal cells; 0 for none. */
  readonly hash: (cells: readonly string[]) => string
  /** Adds hashes exactly. */
  readonly sumOfHashes: (hash: string) => string
  /** Returns the bucket of a hash, below 2^bits, from its bits after `shift`. */
  readonly bucket: (hash: string, bits: number, shift: number) => string
  readonly double: string
  readonly text: string
  /** A type that holds whole numbers and decimals of both exactly. */
  readonly decimal: (scale: number) => string
}

const dialects: Readonly<Partial<Record<Dialect, InsideDialect>>> = {
  postgres: {
    // Of PostgreSQL 14: 1 and 1.00 have one hash, as they are equal.
    hash: (cells) => (cells.length === 0 ? '0::bigint' : `hash_record_extended(ROW(${cells.join(', ')}), 0)`),
    sumOfHashes: (hash) => `sum(${hash})`,
    bucket: (hash, bits, shift) => `((${hash} >> ${shift}) & ${2 ** bits - 1})`,
    double: 'double precision',
    text: 'text',
    decimal: () => 'numeric',
  },
  trino: trinoDialect(),
  presto: trinoDialect(),
}

function trinoDialect(): InsideDialect {
  return {
    hash: (cells) =>
      cells.length === 0
        ? "BIGINT '0'"
        : `from_big_endian_64(xxhash64(to_utf8(json_format(CAST(ARRAY[${cells.map((cell) => `CAST(${cell} AS varchar)`).join(', ')}] AS JSON)))))`,
    sumOfHashes: (hash) => `sum(CAST(${hash} AS decimal(38, 0)))`,
    bucket: (hash, bits, shift) =>
      `bitwise_and(bitwise_right_shift_arithmetic(${hash}, ${shift}), ${2 ** bits - 1})`,
    double: 'double',
    text: 'varchar',
    // One that holds too few digits before the point fails, and then nothing is decided.
    decimal: (scale) => `decimal(38, ${scale})`,
  }
}

/** Undefined for an engine that is not asked to compare results. */
export function insideDialectOf(dialect: Dialect): InsideDialect | undefined {
  return dialects[dialect]
}

const families: readonly (readonly [RegExp, string])[] = [
  [/^(?:tinyint|smallint|integer|bigint|int[248]?)$/u, 'whole'],
  [/^(?:numeric|decimal)\b/u, 'decimal'],
  [/^(?:double|double precision|real|float[48]?)$/u, 'float'],
  [/^(?:text|character varying|varchar|name)\b/u, 'text'],
  [/^bool(?:ean)?$/u, 'boolean'],
  [/^date$/u, 'date'],
  [/^timestamp(?:\(\d+\))?(?: without time zone)?$/u, 'timestamp'],
  [/^timestamp(?:\(\d+\))? with time zone$/u, 'instant'],
]

/** Returns how a pair of columns is compared; undefined where their types are not known to be comparable. */
export function comparedColumn(
  expected: Column,
  generated: Column,
  { double, text, decimal }: InsideDialect,
): ComparedColumn | undefined {
  const [one, other] = [familyOf(expected), familyOf(generated)]
  const to = (type: string) => (cell: string) => `CAST(${cell} AS ${type})`
  const asDouble = to(double)
  if (one === undefined || other === undefined) {
    // What autotest compares as texts has to be of one type.
    const isSame = expected.type !== '' && expected.type === generated.type
    return isSame && !/^(?:character|char|bpchar|json|row|map|array|varbinary)\b/u.test(expected.type)
      ? { kind: 'exact', normalized: to(text), asDouble }
      : undefined
  }
  const numbers = new Set(['whole', 'decimal', 'float'])
  if (one === 'whole' && other === 'whole') return { kind: 'exact', normalized: to('bigint'), asDouble }
  if (numbers.has(one) && numbers.has(other)) {
    const isExact = one !== 'float' && other !== 'float'
    const scale = Math.max(scaleOf(expected), scaleOf(generated))
    return { kind: 'number', normalized: isExact ? to(decimal(scale)) : asDouble, asDouble }
  }
  if (one === other)
    return { kind: 'exact', normalized: one === 'text' ? to(text) : (cell) => cell, asDouble }
  const days = new Set(['date', 'timestamp'])
  return days.has(one) && days.has(other)
    ? { kind: 'exact', normalized: to('timestamp'), asDouble }
    : undefined
}

/** Returns how many decimals a type has; 0 for whole numbers. */
function scaleOf({ type }: Column): number {
  return Number(/\(\s*\d+\s*,\s*(\d+)\s*\)/u.exec(type)?.[1] ?? 0)
}

function familyOf({ type }: Column): string | undefined {
  return families.find(([pattern]) => pattern.test(type.toLowerCase()))?.[1]
}
