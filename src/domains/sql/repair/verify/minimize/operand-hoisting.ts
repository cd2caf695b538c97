const identifierPattern = /^[\p{L}_][\p{L}\p{N}_.]*$/u
const operatorPattern = /^(?:[-+*/%]|\|\|)$/
/** Tokens after which a sign is a binary operator: not the star of `count(*)`, nor the sign of a number. */
const operandEnd = /^(?:\)|END|[\p{L}\p{N}_.]+|'.*'|".*"|`.*`|\{\{.*\}\})$/isu
const keywords =
  /^(?:select|distinct|where|and|or|not|on|having|when|then|else|case|by|from|in|between|like|is|as|limit|over|filter)$/i

/**
 * Returns the words around one value of a CASE or one argument of a function, as indexes: without them, only
 * that value remains. `CASE WHEN x THEN a ELSE b END` may be reduced to `b`, and `coalesce(x, b)`, too.
 */
export function findHoists(words: readonly string[]): number[][] {
  return words.flatMap((word, open) => {
    const isCase = word.toUpperCase() === 'CASE'
    if (!isCase && (word !== '(' || words[open + 1]?.toUpperCase() === 'SELECT')) return []
    const before = words[open - 1] ?? ''
    const isCall = !isCase && identifierPattern.test(before) && !keywords.test(before)
    const close = endOf(words, open)
    if (close === undefined || (!isCase && !isCall)) return []
    const start = isCall ? open - 1 : open
    // The window or the filter of a function is removed with the function.
    const isWindowed = isCall && /^(?:OVER|FILTER)$/i.test(words[close + 1] ?? '') && words[close + 2] === '('
    const last = isWindowed ? (endOf(words, close + 2) ?? close) : close
    return valuesOf(words, open, close, isCase).map(([first, end]) => [
      ...range(start, first),
      ...range(end, last + 1),
    ])
  })
}

/** Returns operators with the operand on one side: without them, the other operand remains. */
export function findRemovableOperands(words: readonly string[]): number[][] {
  return words.flatMap((word, at) => {
    const before = words[at - 1] ?? ''
    if (!operatorPattern.test(word) || !operandEnd.test(before) || keywords.test(before)) return []
    const [first, end] = [startOfOperand(words, at - 1), endOfOperand(words, at + 1)]
    return [range(at, end + 1), range(first, at + 1)]
  })
}

/** Returns where the values of a CASE, or the arguments of a function, begin and end. */
function valuesOf(
  words: readonly string[],
  open: number,
  close: number,
  isCase: boolean,
): (readonly [number, number])[] {
  const found: (readonly [number, number])[] = []
  let start: number | undefined = isCase ? undefined : open + 1
  for (let at = open + 1; at <= close; at++) {
    const word = words[at]?.toUpperCase() ?? ''
    const isEnd = at === close || (isCase ? word === 'WHEN' || word === 'ELSE' : word === ',')
    if (isEnd && start !== undefined && start < at) found.push([start, at])
    if (isEnd) start = isCase && word !== 'ELSE' ? undefined : at + 1
    else if (isCase && word === 'THEN') start = at + 1
    else if (/^(?:[([]|CASE)$/.test(word)) at = endOf(words, at) ?? at
  }
  return found
}

/** Returns the index of the bracket or END that closes the one at `open`. */
function endOf(words: readonly string[], open: number): number | undefined {
  let depth = 0
  for (let at = open; at < words.length; at++) {
    const word = words[at]?.toUpperCase() ?? ''
    if (/^(?:[([]|CASE)$/.test(word)) depth++
    else if (/^(?:[)\]]|END)$/.test(word) && --depth === 0) return at
  }
  return undefined
}

function endOfOperand(words: readonly string[], start: number): number {
  const word = words[start]?.toUpperCase() ?? ''
  if (word === '(' || word === 'CASE') return endOf(words, start) ?? start
  return words[start + 1] === '(' && identifierPattern.test(word) ? (endOf(words, start + 1) ?? start) : start
}

function startOfOperand(words: readonly string[], end: number): number {
  const word = words[end]?.toUpperCase() ?? ''
  if (word !== ')' && word !== 'END') return end
  for (let at = end - 1; at >= 0; at--) {
    if (endOf(words, at) !== end) continue
    const before = words[at - 1] ?? ''
    return words[at] === '(' && identifierPattern.test(before) && !keywords.test(before) ? at - 1 : at
  }
  return end
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)
}
