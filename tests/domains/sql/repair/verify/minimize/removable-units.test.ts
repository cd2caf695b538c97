import { describe, expect, it } from 'vitest'
import {
  findHoists,
  findRemovableOperands,
} from '../../../../../../src/domains/sql/repair/verify/minimize/operand-hoisting.js'
import { removableUnits } from '../../../../../../src/domains/sql/repair/verify/minimize/removable-units.js'

/** Units of a text in which the words in square brackets are new. */
function unitsIn(text: string): string[] {
  const marked = text.split(' ')
  let isNew = false
  const open: boolean[] = []
  const words: string[] = []
  for (const word of marked) {
    if (word === '[' || word === ']') isNew = word === '['
    else {
      words.push(word)
      open.push(isNew)
    }
  }
  return removableUnits(words, (at) => open[at] === true).map((unit) =>
    unit.words.map((at) => words[at]).join(' '),
  )
}

describe('removableUnits', () => {
  it('takes a condition with the word that joins it', () => {
    expect(unitsIn('WHERE a [ AND b = 1 ] GROUP BY c')).toEqual(['AND b = 1'])
    expect(unitsIn('WHERE [ b = 1 AND ] a')).toEqual(['b = 1 AND'])
  })

  it('takes an alternative with all that AND binds to it, and never the AND of BETWEEN', () => {
    expect(unitsIn('WHERE ( a [ OR b AND c ] )')).toContain('OR b AND c')
    expect(unitsIn('WHERE a [ AND d BETWEEN 1 AND 2 ]')).toEqual(['AND d BETWEEN 1 AND 2'])
  })

  it('takes both ends of what stands around something that stays', () => {
    expect(unitsIn('SELECT [ CASE WHEN x THEN 1 ELSE ] a [ END ] FROM t')).toContain(
      'CASE WHEN x THEN 1 ELSE END',
    )
    expect(unitsIn('SELECT [ coalesce ( ] a [ , 0 ) ] FROM t')).toContain('coalesce ( , 0 )')
  })

  it('never takes one bracket alone', () => {
    for (const unit of unitsIn('WHERE [ ( ] a [ OR ( b AND c ) ) ] AND d'))
      expect([...unit].filter((sign) => sign === '(').length).toBe(
        [...unit].filter((sign) => sign === ')').length,
      )
  })

  it('takes brackets around alternatives only behind those', () => {
    const words = 'AND ( a OR b )'.split(' ')
    const unit = removableUnits(words, () => true).find((each) => each.words.join() === '1,5')
    expect(unit?.after).toEqual([3])
  })
})

/** What is left of a text without each of the units. */
function leftOf(text: string, unitsIn: (words: readonly string[]) => number[][]): string[] {
  const words = text.split(' ')
  return unitsIn(words).map((unit) => words.filter((_, at) => !unit.includes(at)).join(' '))
}

describe('findHoists', () => {
  it('leaves one value of a CASE or one argument of a function', () => {
    expect(leftOf('SELECT CASE WHEN a THEN b WHEN c THEN ( d , e ) ELSE f END', findHoists)).toEqual([
      'SELECT b',
      'SELECT ( d , e )',
      'SELECT f',
    ])
    expect(leftOf('a = coalesce ( f ( b , c ) , d )', findHoists)).toEqual([
      'a = f ( b , c )',
      'a = d',
      'a = coalesce ( b , d )',
      'a = coalesce ( c , d )',
    ])
  })

  it('takes the window of a function with it, and leaves subqueries and lists whole', () => {
    expect(leftOf('max ( a ) OVER ( PARTITION BY b )', findHoists)).toEqual(['a'])
    expect(leftOf('a IN ( SELECT b FROM c ) AND d IN ( e , f )', findHoists)).toEqual([])
    expect(leftOf('f ( [ a , b ] , c )', findHoists)).toEqual(['[ a , b ]', 'c'])
  })
})

describe('findRemovableOperands', () => {
  it('leaves either side of a sign', () => {
    expect(leftOf('sum ( a ) * ( b / c )', findRemovableOperands)).toEqual([
      'sum ( a )',
      '( b / c )',
      'sum ( a ) * ( b )',
      'sum ( a ) * ( c )',
    ])
  })

  it('treats neither a star nor the sign of a number as an operator', () => {
    expect(leftOf('SELECT * FROM t WHERE count ( * ) > - 1', findRemovableOperands)).toEqual([])
  })
})
