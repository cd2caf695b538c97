import { execFileSync } from 'node:child_process'

/** Child processes and the command line run from dist/, so the build must be that of the sources under test. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
}
