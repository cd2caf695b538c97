import { literalPattern } from '../../text/literal-pattern.js'
import type { FormerLines } from '../knowledge-adapter.js'

/** Reads lines of metric files and queries: YAML and SQL. */
export const nativeFormerLines: FormerLines = {
  withoutComment: (line) => line.replace(/(?:^|\s)(?:#|--).*$/u, ''),
  namesIn: (line) =>
    nativeFormerLines
      .withoutComment(line)
      .replace(/^\s*-\s/u, '')
      .split(/[,:[\]{}]/u)
      .map((part) => part.trim().replace(/^(['"])(.*)\1$/u, '$2')),
  isDeclaration: (line) => /[\s{,](?:type|values)\s*:/u.test(line),
  declares: (parameter, line) => line.includes(`${parameter}:`),
  setsDefault: (value, line) => new RegExp(`\\bdefault:\\s*${value}(?![\\d.])`, 'u').test(line),
  hasWordOf(value, word, line) {
    const [key, text] = [value, word].map(literalPattern)
    return new RegExp(
      `(?<![\\p{L}\\p{N}_])['"]?${key}['"]?\\s*:\\s*(?:\\[[^\\]]*(?<![\\p{L}\\p{N}_])${text}(?![\\p{L}\\p{N}_])|(?:#.*)?$)`,
      'iu',
    ).test(line)
  },
  enumWords(code, line) {
    const entry = new RegExp(
      `(?<![\\p{L}\\p{N}_])${literalPattern(code)}(?![\\p{L}\\p{N}_])['"]?(?:\\s*:\\s*\\[([^\\]]*)\\])?`,
      'u',
    )
    const found = entry.exec(line)
    return found?.[0] === undefined
      ? undefined
      : (found[1] ?? '').split(',').map((word) => word.trim().replaceAll(/^['"]|['"]$/g, ''))
  },
  valueWords(code, text) {
    const entry = new RegExp(
      String.raw`(?<![\w-])['"]?${literalPattern(code)}['"]?:\s*(?:\{?\s*sql:[^\n]*?[,\n]\s*aliases:\s*)?(?:\[(?<flow>[^[\]{}:]*)\]|(?:#.*)?\n(?<block>(?:\s*-\s.*\n)+))`,
    )
    const { flow, block } = entry.exec(text)?.groups ?? {}
    const words = flow?.split(',') ?? block?.split('\n').map((line) => line.replace(/^\s*-\s|\s#.*$/gu, ''))
    return words?.map((word) => word.trim().replace(/^(['"])(.*)\1$/u, '$2')).filter((word) => word !== '')
  },
  choiceName(sql, line) {
    const entry = new RegExp(
      String.raw`(?<![\w-])(?<name>\w+)['"]?:\s*\{\s*sql:\s*(?<quote>['"]?)${literalPattern(sql)}\k<quote>\s*[,}]`,
      'i',
    )
    return entry.exec(line)?.groups?.['name']
  },
}
