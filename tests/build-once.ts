import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What some tests need beside Node and git, and what is not tested where it is absent. */
const wanted = [
  {
    is: () => spawnSync('script', ['--version']).status === 0,
    name: '`script` (util-linux)',
    tests: 'questions in a terminal',
  },
  {
    is: () => existsSync('/proc/self/status'),
    name: '/proc',
    tests: 'processes that end with their parents',
  },
  { is: () => existsSync('/dev/full'), name: '/dev/full', tests: 'a disk that is full' },
  {
    is: () => existsSync('../shared'),
    name: 'the folder ../shared',
    tests: 'shared lists of hostile inputs, and corpora of queries',
  },
]

/**
 * Child processes and the command line run from dist/, so the build must be that of the sources under test. Tests of
 * the sample read it as committed, whatever a run left in the root's `kb/`; AUTOTEST_SAMPLE=. takes the working tree.
 */
export function setup(): () => void {
  // Node reads these certificates at each start, and hundreds of programs are started. What asks a registry needs them.
  const certificates = process.env['NODE_EXTRA_CA_CERTS']
  if (certificates !== undefined) process.env['AUTOTEST_EXTRA_CA_CERTS'] = certificates
  delete process.env['NODE_EXTRA_CA_CERTS']
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  for (const { is, name, tests } of wanted) if (!is()) console.warn(`SKIPPED  ${tests}: ${name} is not here`)
  if (process.env['AUTOTEST_SAMPLE'] !== undefined) return () => undefined
  const clone = mkdtempSync(join(tmpdir(), 'autotest-tests-'))
  try {
    execFileSync('git', ['clone', '--quiet', '--shared', '.', clone], { stdio: 'pipe' })
    process.env['AUTOTEST_SAMPLE'] = clone
  } catch (error) {
    console.warn(`tests read the sample of the working tree: it cannot be cloned (${String(error)})`)
  }
  return () => rmSync(clone, { recursive: true, force: true })
}
