import type { TestResult } from '../server/protocol.js'

/**
 * Reads the report that pytest writes with `--junitxml`, after a run under a debugger. The form is pytest's own: a `testcase` has the class or module
 * in dots, and a child for what went wrong.
 *
 * @param ids of the tests that were asked for: `tests/test_calc.py::TestAdd::test_two`
 */
export function junitResults(xml: string, ids: readonly string[]): TestResult[] {
  return [...xml.matchAll(/<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g)].flatMap(
    ([, head = '', body = '']) => {
      const name = attribute(head, 'name')
      const id = ids.find(
        (each) => dotted(each) === `${attribute(head, 'classname')}.${name.replace(/\[.*$/s, '')}`,
      )
      if (id === undefined) return []
      const [, kind, inner = ''] = /<(failure|error|skipped)\b([^>]*)/.exec(body) ?? []
      const outcome =
        kind === 'failure' ? 'failed' : kind === 'error' ? 'error' : kind === 'skipped' ? 'skipped' : 'passed'
      const result = { nodeid: id, outcome, duration: Number(attribute(head, 'time')) || 0 } as const
      return outcome === 'failed' || outcome === 'error'
        ? [{ ...result, call: { longrepr: attribute(inner, 'message'), line: null } }]
        : [result]
    },
  )
}

/** Returns an id as pytest writes it in the report. */
function dotted(id: string): string {
  const [file = '', ...names] = id.split('::')
  return [...file.replace(/\.py$/, '').split('/'), ...names].join('.')
}

function attribute(head: string, name: string): string {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(head)?.[1] ?? ''
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }
  return value.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (all, decimal, hex, word) => {
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
    return hex === undefined ? (entities[word] ?? all) : String.fromCodePoint(Number.parseInt(hex, 16))
  })
}
