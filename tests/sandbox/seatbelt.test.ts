import { expect, it } from 'vitest'
import { seatbelt, seatbeltProfile } from '../../src/sandbox/seatbelt.js'

const access = { workspace: '/w/a "b"', temporary: '/t', readable: ['/python'] }

it('the profile for macOS denies all but what is named, whatever is in a path', () => {
  const profile = seatbeltProfile(access)
  expect(profile).toMatch(/^\(version 1\)\n\(deny default\)\n/)
  expect(profile).toContain('(deny network*)')
  expect(profile).toContain(
    '(allow file-write* (subpath "/w/a \\"b\\"") (subpath "/t") (literal "/dev/null"))',
  )
  expect(profile.match(/\(allow file-read\* .*/)?.[0]).toContain(
    '(subpath "/python") (subpath "/w/a \\"b\\"")',
  )
})

it('a role writes its own folders only', () => {
  expect(seatbeltProfile({ ...access, writable: ['/w/tests'] })).toContain(
    '(allow file-write* (subpath "/w/tests") (subpath "/t")',
  )
})

it('the command follows the profile', () => {
  const sandbox = seatbelt({ executable: '/python/bin/python3', folders: ['/python'] })
  const command = sandbox.wrap(['python3', '-m', 'm'], access)
  expect(command.slice(0, 2)).toEqual(['/usr/bin/sandbox-exec', '-p'])
  expect(command.slice(3, 5)).toEqual(['--', '/python/bin/python3'])
  expect(command.slice(-3)).toEqual(['python3', '-m', 'm'])
})
