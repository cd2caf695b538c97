import type { ResultSet, Value } from '../../engine/contract/engine.js'
import { absoluteFloor } from '../cells/cell.js'

/** What is known of the rows of a bucket. */
export interface Bucket {
  readonly rows: number
  /** Sum of the hashes of exact columns, and of all columns, as the engine writes them. */
  readonly keys: string
  readonly all: string
  /** For each column of numbers, the sum and the sum of absolute values. */
  readonly sums: readonly (readonly [number, number])[]
}

export type BucketSums = ReadonlyMap<number, Bucket>

/** Reads the sums of one side; undefined where the engine does not return them. */
export async function readBuckets(
  sql: string,
  run: (sql: string) => Promise<ResultSet | undefined>,
): Promise<BucketSums | undefined> {
  const result = await run(sql)
  if (result === undefined) return undefined
  return new Map(
    result.rows.map(([bucket = 0, rows = 0, keys = null, all = null, ...sums]) => [
      Number(bucket),
      {
        rows: Number(rows),
        keys: textOf(keys),
        all: textOf(all),
        sums: Array.from({ length: sums.length / 2 }, (_, at) => [
          numberOf(sums[2 * at]),
          numberOf(sums[2 * at + 1]),
        ]),
      },
    ]),
  )
}

/** Returns the buckets whose rows differ. */
export function differingBuckets(expected: BucketSums, generated: BucketSums): number[] {
  const all = new Set([...expected.keys(), ...generated.keys()])
  return [...all].filter((bucket) => {
    const [one, other] = [expected.get(bucket), generated.get(bucket)]
    return one?.rows !== other?.rows || one?.keys !== other?.keys || one?.all !== other?.all
  })
}

export function total(sums: BucketSums, buckets: Iterable<number> = sums.keys()): number {
  let rows = 0
  for (const bucket of buckets) rows += sums.get(bucket)?.rows ?? 0
  return rows
}

/** Reports whether sums of numbers allow that each number of a bucket is within the tolerance of its counterpart. */
export function mayMatch(
  expected: Bucket | undefined,
  generated: Bucket | undefined,
  tolerance: number,
): boolean {
  if (expected?.rows !== generated?.rows || expected?.keys !== generated?.keys) return false
  return (expected?.sums ?? []).every(([sum, absolute], at) => {
    const [otherSum = Number.NaN, otherAbsolute = Number.NaN] = generated?.sums[at] ?? []
    const margin = (expected?.rows ?? 0) * absoluteFloor + tolerance * (absolute + otherAbsolute)
    // Sums with a NaN or an infinity in them say nothing.
    return !Number.isFinite(sum - otherSum) || Math.abs(sum - otherSum) <= margin
  })
}

function textOf(value: Value): string {
  return typeof value === 'object' && value !== null ? value.text : String(value)
}

function numberOf(value: Value | undefined): number {
  return value === null || value === undefined ? 0 : Number(textOf(value))
}
