import type { Value } from '../../contract/engine.js'
import { toExactInteger } from '../../query/row-collector.js'

/** Column types of the protocol (dev.mysql.com/doc/dev/mysql-server/latest/field__types_8h.html). */
export const types: Readonly<Record<number, string>> = {
  0: 'decimal',
  1: 'tinyint',
  2: 'smallint',
  3: 'int',
  4: 'float',
  5: 'double',
  6: 'null',
  7: 'timestamp',
  8: 'bigint',
  9: 'mediumint',
  10: 'date',
  11: 'time',
  12: 'datetime',
  13: 'year',
  15: 'varchar',
  16: 'bit',
  245: 'json',
  246: 'decimal',
  247: 'enum',
  248: 'set',
  249: 'tinyblob',
  250: 'mediumblob',
  251: 'longblob',
  252: 'blob',
  253: 'varchar',
  254: 'char',
  255: 'geometry',
}

/** The character set of bytes that are no text. */
const binary = 63

const isoDate = /^(?!0000)\d{4}-(?!00)\d\d-(?!00)\d\d$/

export interface ServerColumn {
  readonly columnType?: number | undefined
  readonly characterSet?: number | undefined
}

/** Converts a cell of the text protocol to a `Value`. */
export function toValue(bytes: Buffer | null, { columnType, characterSet }: ServerColumn): Value {
  if (bytes === null) return null
  const type = types[columnType ?? -1] ?? ''
  switch (type) {
    case 'tinyint':
    case 'smallint':
    case 'mediumint':
    case 'int':
    case 'year':
    case 'float':
    case 'double':
      return Number(bytes.toString('latin1'))
    case 'bigint':
      return toExactInteger(BigInt(bytes.toString('latin1')))
    case 'decimal':
      return { kind: 'decimal', text: bytes.toString('latin1') }
    case 'date': {
      const text = bytes.toString('latin1')
      return isoDate.test(text) ? { kind: 'date', text } : { kind: 'other', type, text }
    }
    case 'timestamp':
    case 'datetime': {
      const text = bytes.toString('latin1')
      return isoDate.test(text.slice(0, 10)) ? { kind: 'timestamp', text } : { kind: 'other', type, text }
    }
    case 'time':
    case 'json':
      return { kind: 'other', type, text: bytes.toString('utf8') }
    case 'bit':
    case 'geometry':
      return { kind: 'other', type, text: bytes.toString('hex') }
    default:
      return characterSet === binary
        ? { kind: 'other', type: 'blob', text: bytes.toString('hex') }
        : bytes.toString('utf8')
  }
}
