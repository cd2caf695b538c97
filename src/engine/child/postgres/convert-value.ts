import type { Value } from '../../contract/engine.js'
import { toExactInteger } from '../../query/row-collector.js'

/** Object identifiers of built-in types, which never change (pg_type.dat of PostgreSQL's sources). */
const oid = {
  bool: 16,
  int8: 20,
  int2: 21,
  int4: 23,
  oid: 26,
  float4: 700,
  float8: 701,
  date: 1082,
  timestamp: 1114,
  timestamptz: 1184,
  numeric: 1700,
  money: 790,
} as const

/** Types whose values are texts: "char", name, text, unknown, bpchar, varchar. */
const texts = new Set([18, 19, 25, 705, 1042, 1043])

const isoDate = /^\d{4}-\d\d-\d\d$/
const isoTimestamp = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?(?:\+00)?$/

/** What the server tells of a type. */
export interface ServerType {
  readonly name: string
  readonly isEnum: boolean
}

/** Converts a cell in the server's text form, with DateStyle ISO and in UTC, to a `Value`. */
export function toValue(text: string | null, typeOid: number, type: ServerType | undefined): Value {
  if (text === null) return null
  if (texts.has(typeOid) || type?.isEnum === true) return text
  switch (typeOid) {
    case oid.bool:
      return text === 't'
    case oid.int2:
    case oid.int4:
    case oid.oid:
      return Number(text)
    case oid.int8:
      return toExactInteger(BigInt(text))
    case oid.float4:
    case oid.float8:
      return Number(text)
    case oid.numeric:
      // NaN and infinities are no decimals.
      return /^-?\d/.test(text) ? { kind: 'decimal', text } : Number(text)
    case oid.date:
      return isoDate.test(text) ? { kind: 'date', text } : { kind: 'other', type: 'date', text }
    case oid.timestamp:
    case oid.timestamptz:
      return isoTimestamp.test(text)
        ? { kind: 'timestamp', text }
        : { kind: 'other', type: 'timestamp', text }
    case oid.money:
      return moneyValue(text)
    default:
      return { kind: 'other', type: type?.name ?? String(typeOid), text }
  }
}

/** The amount, as the server casts it to numeric: sessions show money in the locale C. */
function moneyValue(text: string): Value {
  const digits = text.replaceAll(/[^\d.]/gu, '')
  return { kind: 'decimal', text: /^[-(]/u.test(text) ? `-${digits}` : digits }
}
