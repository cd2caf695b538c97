import { Tokenizer, TokenParser } from '@streamparser/json'
import { exactNumber } from './json-values.js'

/** Digits beyond which a number of a text may not be exact as a double. */
const manyDigits = /\d[\d.]{15,}|\d[eE]/

/** Keeps every digit of a number: the parser uses whatever its tokenizer returns. */
export class ExactTokenizer extends Tokenizer {
  protected override parseNumber(digits: string): number {
    return exactNumber(digits) as number
  }
}

/** Parses JSON without losing a digit of its numbers; throws for a text that is none. */
export function parseExactJson(text: string): unknown {
  // The tokenizer is some twenty times slower than what is built in.
  if (!manyDigits.test(text)) return JSON.parse(text)
  let value: unknown
  const tokenizer = new ExactTokenizer()
  const parser = new TokenParser({ paths: ['$'], keepStack: false })
  tokenizer.onToken = (token) => parser.write(token)
  parser.onValue = (parsed) => {
    value = parsed.value
  }
  tokenizer.write(text)
  if (!tokenizer.isEnded) tokenizer.end()
  return value
}
