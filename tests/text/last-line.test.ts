import { expect, it } from 'vitest'
import { lastLine } from '../../src/text/last-line.js'

it.each([
  ['Traceback\n  File "x"\nValueError: no\n\n', 'ValueError: no'],
  ['one', 'one'],
  ['a\r\nb\r\n', 'b'],
  ['', ''],
  ['\n \n', ''],
])('the last line of %j is %j', (text, line) => {
  expect(lastLine(text)).toBe(line)
})
