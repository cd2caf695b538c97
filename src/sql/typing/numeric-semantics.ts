import type { Dialect } from '../../enums/dialect.js'
import type { Expression } from '../shape/query-shape.js'
import type { ExactKind } from './exact-kinds.js'

type Call = Expression & { kind: 'apply' }

/** A requirement on the arguments of a call. */
export interface NumericRequirement {
  /** Kinds for which the call is the same in all dialects. */
  readonly kinds: ReadonlySet<ExactKind>
  /** The assumption in words: what a column of unknown kind has to hold, or what else has to be true, also of other kinds. */
  readonly words: string
  readonly isOfAll?: true
}

interface NumericSemantics {
  readonly dialects: ReadonlySet<Dialect>
  /** Dialects that ask for more themselves. */
  readonly except?: ReadonlySet<Dialect>
  isAt(call: Call): boolean
  readonly wanted: NumericRequirement
}

const kinds = (...all: readonly ExactKind[]): ReadonlySet<ExactKind> => new Set(all)

const wholeOnly: NumericRequirement = { kinds: kinds('whole'), words: 'holds whole numbers' }
const exactHalves: NumericRequirement = {
  kinds: kinds('whole', 'decimal', 'text', 'truth'),
  words: 'nothing that is rounded lies half way between two numbers',
  isOfAll: true,
}

const numericSemantics: readonly NumericSemantics[] = [
  // DuckDB's // rounds integers only.
  { dialects: new Set(['duckdb']), isAt: ({ op }) => op === 'int_div', wanted: wholeOnly },
  // SQLite cuts off both sides of % to integers.
  { dialects: new Set(['sqlite']), isAt: ({ op }) => op === '%', wanted: wholeOnly },
  {
    dialects: new Set(['redshift']),
    isAt: ({ op }) => op === 'avg',
    wanted: { kinds: kinds('float'), words: 'holds floats' },
  },
  // The average has the places of the decimals.
  {
    dialects: new Set(['trino', 'presto']),
    isAt: ({ op }) => op === 'avg',
    wanted: { kinds: kinds('whole', 'float', 'truth'), words: 'holds no decimals' },
  },
  // A float half way between two integers is rounded to the even one.
  {
    dialects: new Set(['postgres', 'redshift', 'mysql']),
    isAt: ({ op, args }) => op === 'round' && args.length === 1,
    wanted: exactHalves,
  },
  {
    dialects: new Set(['postgres', 'redshift', 'mysql', 'duckdb']),
    except: new Set(['sqlite', 'spark']),
    isAt: ({ op, args }) => op === 'cast' && args[1]?.kind === 'literal' && args[1].value === 'int',
    wanted: exactHalves,
  },
]

/** Returns the requirement under which a call means the same in the dialect of the query and in the other one. */
export function numericRequirementOf(
  call: Call,
  dialect: Dialect,
  other: Dialect,
): NumericRequirement | undefined {
  const habit = numericSemantics.find(({ dialects, isAt }) => dialects.has(dialect) && isAt(call))
  return habit === undefined || habit.dialects.has(other) || habit.except?.has(other)
    ? undefined
    : habit.wanted
}
