import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { preparePython } from './prepare-python.js'

/**
 * Child processes and the command line run from dist/, so the build must be that of the sources under test. Tests of
 * the sample read it as committed, whatever a run left in the root's `kb/`; AUTOTEST_SAMPLE=. takes the working tree.
 */
export async function setup(project: TestProject): Promise<() => void> {
  // Node reads these certificates at each start, and hundreds of programs are started. What asks a registry needs them.
  const certificates = process.env['NODE_EXTRA_CA_CERTS']
  if (certificates !== undefined) process.env['AUTOTEST_EXTRA_CA_CERTS'] = certificates
  delete process.env['NODE_EXTRA_CA_CERTS']
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  project.provide('python', await preparePython())
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
