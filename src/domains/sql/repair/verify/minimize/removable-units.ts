/** How strongly a word binds its operands; a lower number binds more loosely. */
const bindingRanks: ReadonlyMap<string, number> = new Map([
  ...'SELECT FROM WHERE GROUP HAVING ORDER LIMIT OFFSET QUALIFY WINDOW UNION EXCEPT INTERSECT WITH JOIN LEFT RIGHT FULL INNER CROSS'
    .split(' ')
    .map((word): [string, number] => [word, 0]),
  [',', 1],
  ['WHEN', 1],
  ['THEN', 1],
  ['ELSE', 1],
  ['OR', 2],
  ['AND', 3],
])
/** Connectors that may also be removed with what precedes them: `status = 'paid' AND` after a WHERE. */
const connectors: ReadonlySet<string> = new Set([',', 'OR', 'AND'])
/** Words after which an operand begins. */
const openings: ReadonlySet<string> = new Set([
  'SELECT',
  'WHERE',
  'ON',
  'HAVING',
  'WHEN',
  'THEN',
  'BY',
  'DISTINCT',
])
const joinWords: ReadonlySet<string> = new Set(['LEFT', 'RIGHT', 'FULL', 'INNER', 'CROSS', 'OUTER'])

/** Words that are removed together. */
export interface RemovableUnit {
  readonly words: readonly number[]
  /** Words that must be removed before: an OR can only be removed after its brackets. */
  readonly after: readonly number[]
}

/** A range between brackets, or from CASE to END; the whole text is a group, too. Indexes of words. */
interface Group {
  readonly open: number
  close: number
  readonly cuts: Cut[]
}

/** A word that separates what precedes it from what follows. */
interface Cut {
  readonly at: number
  readonly rank: number
}

/**
 * Returns what can be removed from a text so that the rest can still be parsed: conditions with their
 * connector, members of lists, branches, clauses, and words around something that stays, which are only
 * removed together: brackets with the name of their function, a CASE with its END. Each as indexes of words,
 * the largest first.
 *
 * @param words an empty word at the place of a comment, which belongs to nothing
 * @param isOpen reports whether a word may be removed
 */
export function removableUnits(words: readonly string[], isOpen: (at: number) => boolean): RemovableUnit[] {
  const found: RemovableUnit[] = []
  const add = (at: readonly number[], after: readonly number[] = []): void => {
    const unit = at.filter((each) => words[each] !== '')
    if (unit.length > 0 && [...unit, ...after].every(isOpen)) found.push({ words: unit, after })
  }
  for (const group of groupsOf(words)) {
    const { open, close, cuts } = group
    for (const [index, { at, rank }] of cuts.entries()) {
      // A branch is meaningless without its value.
      if (upper(words[at]) === 'THEN') continue
      const isBranch = upper(words[at]) === 'WHEN'
      const ends = (cut: Cut): boolean => cut.rank <= rank && !(isBranch && upper(words[cut.at]) === 'THEN')
      const next = cuts.slice(index + 1).find(ends)?.at ?? close
      add(range(at, next))
      if (!connectors.has(upper(words[at]))) continue
      const before = cuts.slice(0, index).findLast((cut) => cut.rank <= rank)?.at
      const start = before ?? open
      add(range(firstOperand(words, start, at), at + 1))
    }
    if (open < 0 || close === words.length) continue
    add(surroundingWords(words, group, isOpen))
    const loose = cuts.filter(({ rank }) => rank <= 2).map(({ at }) => at)
    if (words[open] === '(' && !isCall(words, open, isOpen)) add([open, close], loose)
  }
  const distinct = new Map(found.map((unit) => [unit.words.join(), unit]))
  return [...distinct.values()].sort((a, b) => b.words.length - a.words.length)
}

/**
 * Returns where the operand starts that ends before `end`: after the last word from `start` on that begins
 * one.
 */
function firstOperand(words: readonly string[], start: number, end: number): number {
  let first = start + 1
  let depth = 0
  for (let at = first; at < end; at++) {
    if (words[at] === '(') depth++
    else if (words[at] === ')') depth--
    // A word within brackets begins no operand outside them.
    else if (depth === 0 && openings.has(upper(words[at]))) first = at + 1
  }
  return first
}

/** Returns what surrounds the words of a group that stay, with the name of its function. */
function surroundingWords(
  words: readonly string[],
  { open, close }: Group,
  isOpen: (at: number) => boolean,
): number[] {
  const stay = range(open + 1, close).filter((at) => !isOpen(at))
  const [first] = stay
  const last = stay.at(-1)
  if (first === undefined || last === undefined) return []
  const start = isCall(words, open, isOpen) ? open - 1 : open
  return [...range(start, first), ...range(last + 1, close + 1)]
}

/** Reports whether the brackets belong to a function that is new, too. */
function isCall(words: readonly string[], open: number, isOpen: (at: number) => boolean): boolean {
  const before = upper(words[open - 1])
  const isName =
    /^[\p{L}_][\p{L}\p{N}_.]*$/u.test(before) && !bindingRanks.has(before) && !openings.has(before)
  return words[open] === '(' && isName && before !== 'NOT' && before !== 'THEN' && isOpen(open - 1)
}

function groupsOf(words: readonly string[]): Group[] {
  const root: Group = { open: -1, close: words.length, cuts: [] }
  const all = [root]
  const stack = [root]
  let bounds = 0
  for (const [at, text] of words.entries()) {
    const word = upper(text)
    const current = stack.at(-1) ?? root
    if (word === '(' || word === '[' || word === 'CASE') {
      const group: Group = { open: at, close: words.length, cuts: [] }
      all.push(group)
      stack.push(group)
    } else if ((word === ')' || word === ']' || word === 'END') && stack.length > 1) {
      current.close = at
      stack.pop()
    } else if (word === 'BETWEEN') bounds++
    else if (word === 'AND' && bounds > 0) bounds--
    else {
      const rank = bindingRanks.get(word)
      const isPart = word === 'JOIN' && joinWords.has(upper(words[at - 1]))
      const isFunction = joinWords.has(word) && words[at + 1] === '('
      if (rank !== undefined && !isPart && !isFunction) current.cuts.push({ at, rank })
    }
  }
  return all
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)
}

function upper(word: string | undefined): string {
  return word?.toUpperCase() ?? ''
}
