import type { TestResult } from '../server/protocol.js'

/** What became of one test of the tree: of all its parameters together. */
export interface TestOutcome {
  readonly kind: 'passed' | 'failed' | 'errored' | 'skipped'
  /** Of those that failed, with the line of the test file, from 1. */
  readonly messages: readonly { readonly text: string; readonly line: number | undefined }[]
  /** Milliseconds. */
  readonly ms: number
}

/** Returns the id of a test without its parameters. */
export function withoutParameters(nodeid: string): string {
  return nodeid.replace(/\[.*$/s, '')
}

/** Returns the outcome of a test out of the results of a run; undefined where it did not run. */
export function outcomeOf(id: string, results: readonly TestResult[]): TestOutcome | undefined {
  const own = results.filter(({ nodeid }) => withoutParameters(nodeid) === id)
  if (own.length === 0) return undefined
  const bad = own.filter(({ outcome }) => outcome === 'failed' || outcome === 'error')
  const messages = bad.map(({ nodeid, call }) => ({
    text: `${parametersOf(nodeid)}${call?.longrepr ?? 'it failed'}`,
    line: call?.line ?? undefined,
  }))
  const ms = own.reduce((sum, { duration }) => sum + duration * 1000, 0)
  const kind = bad.some(({ outcome }) => outcome === 'failed')
    ? 'failed'
    : bad.length > 0
      ? 'errored'
      : own.every(({ outcome }) => outcome === 'passed')
        ? 'passed'
        : 'skipped'
  return { kind, messages, ms }
}

/** Returns what kept tests from being run at all: a file that cannot be collected, a run that did not end. */
export function runProblem(path: string, results: readonly TestResult[]): string | undefined {
  const found = results.find(
    ({ nodeid, outcome }) => outcome === 'error' && (nodeid === path || !nodeid.includes('::')),
  )
  if (found === undefined) return undefined
  const said = found.call?.longrepr ?? 'the tests could not be run'
  // Of a file that cannot be imported, pytest prints how it came to that; the lines with E say what.
  const errors = [...said.matchAll(/^E\s+(.*)$/gm)].map(([, text]) => text)
  return errors.length === 0 ? said : errors.join('\n')
}

function parametersOf(nodeid: string): string {
  const parameters = /\[(.*)\]$/s.exec(nodeid)?.[1]
  return parameters === undefined ? '' : `[${parameters}] `
}
