import { expect, it } from 'vitest'
import { displayPath } from '../../src/cli/display-path.js'

it.each([
  ['/home/ana/shop/kb/a.sql', '/home/ana/shop', 'kb/a.sql'],
  ['/home/ana/shop', '/home/ana/shop', '/home/ana/shop'],
  ['/a.sql', '/home/ana/shop', '/a.sql'],
])('%s seen from %s is %s', (path, cwd, shown) => {
  expect(displayPath(path, cwd)).toBe(shown)
})
