import type { Column } from './column-references.js'
import { describeValue } from './nullability.js'
import { declaredType, type Facts } from './table-facts.js'

/**
 * Whether columns that are equal are the same in every use. Values of different types are not (1 and 1.0, '1' and
 * 1), nor are MySQL's texts, which are equal in any letter case.
 */
export function createSameValueTest(facts: Facts): (a: Column, b: Column) => boolean {
  return (a, b) => {
    const [left, right] = [familyOf(a, facts), familyOf(b, facts)]
    const isLoose = facts.dialect === 'mysql' || facts.dialect === 'sqlite'
    if (left !== undefined && right !== undefined)
      return left === right && !(facts.dialect === 'mysql' && left === 'text')
    if (!isLoose) return true
    return facts.assumptions.assume(
      'types',
      `${[describeValue(a, facts), describeValue(b, facts)].sort().join(' and ')} hold values of one type`,
    )
  }
}

function familyOf(column: Column, facts: Facts): string | undefined {
  const type = declaredType(column, facts)
  return type === undefined ? undefined : familyOfType(type, facts.dialect === 'sqlite')
}

/** Types whose values are equal only when they are the same. */
function familyOfType(type: string, isSqlite: boolean): string {
  if (/int|serial/u.test(type)) return 'integer'
  if (/char|text|string|clob|uuid/u.test(type))
    return /^(?:n?char|bpchar|character)\b(?! varying)/u.test(type) && !isSqlite ? 'padded' : 'text'
  if (/real|float|double/u.test(type)) return 'float'
  return type.replace(/\(.*/u, '')
}
