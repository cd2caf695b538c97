import type { Column, ResultSet, Value } from '../contract/engine.js'

/** Collects rows until a cap is reached, so that a result never exceeds it. */
export class RowCollector {
  private readonly columns: readonly Column[]
  private readonly caps: { readonly rows: number; readonly bytes: number }
  private readonly rows: (readonly Value[])[] = []
  private bytes = 0
  private cut: ResultSet['cut'] = null

  constructor(columns: readonly Column[], caps: { rows: number; bytes: number }) {
    this.columns = columns
    this.caps = caps
  }

  /** Adds a row; returns false if it exceeds a cap: it is not kept, and reading should stop. */
  add(row: readonly Value[]): boolean {
    this.bytes += sizeOf(row)
    if (this.rows.length >= this.caps.rows) this.cut = 'rows'
    else if (this.bytes > this.caps.bytes) this.cut = 'bytes'
    else this.rows.push(row)
    return this.cut === null
  }

  result(): ResultSet {
    return { columns: this.columns, rows: this.rows, cut: this.cut }
  }
}

/** Returns the approximate size of a row when sent between processes, in bytes. */
function sizeOf(row: readonly Value[]): number {
  let bytes = 0
  for (const value of row) {
    bytes += 8
    if (typeof value === 'string') bytes += value.length
    else if (typeof value === 'object' && value !== null) bytes += value.text.length + 16
  }
  return bytes
}

/** Returns an integer as a number if that is exact, else as a bigint. */
export function toExactInteger(value: bigint): number | bigint {
  const small = Number(value)
  return Number.isSafeInteger(small) ? small : value
}
