import type { Span } from '../../../../kb/question-interpretation.js'

const maxPhraseWords = 4

/**
 * Returns contiguous stretches of the question that cover the given spans: each alone, and neighbours joined.
 */
export function phrasesCovering(question: string, spans: readonly Span[]): string[] {
  const sorted = [...spans].sort((a, b) => a.start - b.start)
  const found = new Set<string>()
  for (const [index, first] of sorted.entries()) {
    for (const last of sorted.slice(index)) {
      const text = asAlias(question.slice(first.start, last.end), first.start === 0)
      const between = sorted.filter((span) => span.start >= first.start && span.end <= last.end)
      if (text.split(' ').length <= maxPhraseWords && hasOnlySmallGaps(question, between)) found.add(text)
    }
  }
  return [...found].sort((a, b) => b.length - a.length)
}

/**
 * Returns the words as an alias is written: with single spaces, and without a capital that only begins a
 * sentence.
 */
function asAlias(text: string, startsSentence: boolean): string {
  const words = text.trim().replaceAll(/\s+/g, ' ')
  return startsSentence && /^\p{Lu}\p{Ll}+\b/u.test(words)
    ? words.charAt(0).toLowerCase() + words.slice(1)
    : words
}

/** Reports whether only white space or short words ("cost per click") separate the spans. */
function hasOnlySmallGaps(question: string, spans: readonly Span[]): boolean {
  return spans.every((span, index) => {
    const next = spans[index + 1]
    return next === undefined || /^\s*(\p{L}{1,4}\s+)?$/u.test(question.slice(span.end, next.start))
  })
}
