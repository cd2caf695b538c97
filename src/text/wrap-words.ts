import { wrapAnsi } from 'fast-wrap-ansi'

/** Stands for a blank inside a command while lines are broken. */
const joined = '\u{f0020}'

/**
 * An advised command: `autotest` with what belongs to it, which is subcommands, flags with their values, ids, paths and
 * names in capitals. Ordinary words behind it are prose again.
 */
const command =
  /\bautotest(?: (?:--?[a-z][\w-]*(?:[ =](?!(?:to|and|or|for|alone)\b)(?:'[^']*'|"[^"]*"|[^\s;,()·]+))?|(?:runs|gates|kb|agent|registry|decisions) (?:list|show|diff|prune|export|import|check|answer|forget|sync)\b|(?:apply|audit|compare|demo|doctor|gates|generate|guard|kb|mcp|merge|mutants|reject|report|rescore|revert|runs|sandbox|serve|tdd|view|why|last)\b|[A-Z][A-Z_]+\b|[\w./:-]*[\d_/][^\s;,()·]*))+/g

/** A word that is no path and longer than this is data, such as a key or a hash: nobody copies it from a report. */
const longestWord = 36

function mayBreak(line: string): boolean {
  return (
    withoutBlanks.test(line) || (line.length > longestWord && !line.includes(joined) && !line.includes('/'))
  )
}

/** Scripts whose sentences have no blanks between words: they may break anywhere. */
const withoutBlanks = /[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}]/u

/**
 * Returns a text broken at blanks to lines of `width` columns. A word, a path and an advised command are never broken:
 * one that is wider has a line of its own, which a terminal can still copy as one.
 */
export function wrap(text: string, width: number): string[] {
  const kept = text.replaceAll(command, (found) => found.replaceAll(' ', joined))
  const room = Math.max(width, 8)
  return wrapAnsi(kept, room, { hard: false })
    .split('\n')
    .flatMap((line) => (mayBreak(line) ? wrapAnsi(line, room, { hard: true }).split('\n') : [line]))
    .map((line) => line.replaceAll(joined, ' ').trimEnd())
}
