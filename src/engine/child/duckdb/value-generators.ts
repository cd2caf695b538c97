import { DuckDBDateValue, DuckDBDecimalValue, DuckDBTimestampValue } from '@duckdb/node-api'
import type { Cell, FuzzColumn } from '../../fuzz/fuzz-table.js'
import {
  freshScalars,
  perturbInteger,
  perturbMoment,
  perturbNumber,
  perturbText,
} from '../../fuzz/perturb-values.js'
import { pick, type Random } from '../../fuzz/seeded-random.js'
import { perturbNested } from './perturb-nested.js'

/** Least and greatest value of the integer types. */
const integers: Readonly<Record<string, readonly [bigint, bigint]>> = {
  TINYINT: [-(2n ** 7n), 2n ** 7n - 1n],
  SMALLINT: [-(2n ** 15n), 2n ** 15n - 1n],
  INTEGER: [-(2n ** 31n), 2n ** 31n - 1n],
  BIGINT: [-(2n ** 63n), 2n ** 63n - 1n],
  HUGEINT: [-(2n ** 127n), 2n ** 127n - 1n],
  UTINYINT: [0n, 2n ** 8n - 1n],
  USMALLINT: [0n, 2n ** 16n - 1n],
  UINTEGER: [0n, 2n ** 32n - 1n],
  UBIGINT: [0n, 2n ** 64n - 1n],
  UHUGEINT: [0n, 2n ** 128n - 1n],
}

/** Returns generators for a DuckDB type: of values near others, and of values that no row has. */
export function valueGenerators(type: string): Pick<FuzzColumn, 'near' | 'fresh'> {
  const nested = perturbNested(type, (inner) => valueGenerators(inner).near)
  if (nested !== undefined) return { near: nested, fresh: none }
  const range = integers[type]
  if (range !== undefined) return integerValues(range)
  switch (type) {
    case 'VARCHAR':
      return {
        near: (cell, random) => (typeof cell === 'string' ? perturbText(cell, random) : undefined),
        fresh: freshScalars,
      }
    case 'JSON':
      return {
        near: (cell, random) => (typeof cell === 'string' ? perturbText(cell, random) : undefined),
        fresh: none,
      }
    case 'DOUBLE':
    case 'FLOAT':
      return {
        near: (cell, random) => (typeof cell === 'number' ? perturbNumber(cell, random) : undefined),
        fresh: none,
      }
    case 'BOOLEAN':
      return { near: (cell) => (typeof cell === 'boolean' ? !cell : undefined), fresh: none }
    case 'DATE':
      return { near: perturbDate, fresh: none }
    case 'TIMESTAMP':
      return { near: perturbTimestamp, fresh: none }
    default:
      if (type.startsWith('ENUM(')) return enumValues(type)
      return { near: type.startsWith('DECIMAL') ? perturbDecimal : none, fresh: none }
  }
}

const none = (): undefined => undefined

/** Returns generators of enum values, whether or not a row has them: `ENUM('new', 'it''s paid')`. */
function enumValues(type: string): Pick<FuzzColumn, 'near' | 'fresh'> {
  const values = [...type.matchAll(/'((?:[^']|'')*)'/g)].map(([, value = '']) => value.replaceAll("''", "'"))
  return { near: (_cell, random) => pick(values, random), fresh: none }
}

function integerValues([least, most]: readonly [bigint, bigint]): Pick<FuzzColumn, 'near' | 'fresh'> {
  // Types up to 32 bits are numbers in JavaScript, the others bigints.
  const back = (cell: Cell, value: bigint): Cell => (typeof cell === 'number' ? Number(value) : value)
  return {
    near(cell, random) {
      if (typeof cell !== 'number' && typeof cell !== 'bigint') return undefined
      const value = perturbInteger(BigInt(cell), random)
      return value < least || value > most ? undefined : back(cell, value)
    },
    fresh(cells) {
      const make = freshScalars(cells)
      if (make === undefined) return undefined
      // Each count gives a larger number, and no more are ever needed.
      const largest = make(cells.length * 4 + 100)
      return typeof largest === 'object' || BigInt(largest) > most ? undefined : make
    },
  }
}

const dayMs = 86_400_000

function perturbDate(cell: Cell, random: Random): Cell | undefined {
  if (!(cell instanceof DuckDBDateValue) || !cell.isFinite) return undefined
  return new DuckDBDateValue(Math.floor(perturbMoment(cell.days * dayMs, random) / dayMs))
}

function perturbTimestamp(cell: Cell, random: Random): Cell | undefined {
  if (!(cell instanceof DuckDBTimestampValue) || !cell.isFinite) return undefined
  return new DuckDBTimestampValue(BigInt(perturbMoment(Number(cell.micros / 1000n), random)) * 1000n)
}

function perturbDecimal(cell: Cell, random: Random): Cell | undefined {
  if (!(cell instanceof DuckDBDecimalValue)) return undefined
  const { value, width, scale } = cell
  const unit = 10n ** BigInt(scale)
  // The smallest step, a step of one, or a whole number nearby.
  const near = random.chance(0.3)
    ? value + (random.chance(0.5) ? 1n : -1n)
    : perturbInteger(value / unit, random) * unit
  return near > -(10n ** BigInt(width)) && near < 10n ** BigInt(width)
    ? new DuckDBDecimalValue(near, width, scale)
    : undefined
}
