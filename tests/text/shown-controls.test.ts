import { expect, it } from 'vitest'
import { withShownControls } from '../../src/text/shown-controls.js'

it.each([
  ['a title of the terminal', 'x\u001b]0;pwn\u0007y', String.raw`x\x1b]0;pwn\x07y`],
  ['a cleared screen', '\u001b[2Jdone', String.raw`\x1b[2Jdone`],
  ['hidden text', '\u001b[8mno\u001b[0m', '\\x1b[8mno\u001b[0m'],
  ['a line written over', 'failed\rpassed', String.raw`failed\x0dpassed`],
  ['another direction of writing', 'a\u202eb', String.raw`a\u202eb`],
  ['an eight-bit control', 'a\u009b2Jb', String.raw`a\x9b2Jb`],
])('%s is shown and not obeyed', (_what, text, shown) => {
  expect(withShownControls(text)).toBe(shown)
})

it('styles, line ends, tabs and letters of any script stay', () => {
  const text = '\u001b[32mok\u001b[39m\r\n\tनमस्ते \u200d می\u200cخواهم 👩‍💻'
  expect(withShownControls(text)).toBe(text)
})
