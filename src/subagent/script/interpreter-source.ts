import type { ToolScript } from './script-format.js'

/** What the variables that hold inputs, and the functions of the host, are called for the interpreter. */
const inputPrefix = '_input_'
const externalPrefix = '_external_'

/** A script as the interpreter runs it. */
export interface InterpreterSource {
  readonly source: string
  /** Variables by the key of their argument. */
  readonly inputs: ReadonlyMap<string, string>
  /** Names of the script's externals by what they are called in the source. */
  readonly externals: ReadonlyMap<string, string>
}

/**
 * Returns a script in the interpreter's own terms, on the same lines: imports are left out, inputs are variables, and
 * stubs call the host. An input that is not given keeps its default.
 *
 * @param given keys of the arguments that are given
 */
export function interpreterSource(script: ToolScript, given: ReadonlySet<string>): InterpreterSource {
  const inputs = new Map<string, string>()
  const externals = new Map<string, string>()
  const changes: { readonly span: readonly [number, number]; readonly text: string }[] = []
  for (const span of script.imports) changes.push({ span, text: 'pass' })
  for (const { key, span, defaultSource } of script.inputs) {
    const variable = `${inputPrefix}${inputs.size}`
    if (given.has(key)) inputs.set(key, variable)
    changes.push({ span, text: given.has(key) ? variable : (defaultSource ?? 'None') })
  }
  for (const { name, isAsync, span, defStart } of script.externals) {
    const called = `${externalPrefix}${name}`
    externals.set(called, name)
    const before = script.text.slice(span[0], defStart)
    const head = isAsync ? 'async def' : 'def'
    const text = `${lineEnds(before)}${head} ${name}(*args, **kwargs): return ${called}(*args, **kwargs)`
    changes.push({ span, text })
  }
  return { source: replaced(script.text, changes), inputs, externals }
}

/** Replaces spans, keeping the number of lines of each. */
function replaced(
  text: string,
  changes: readonly { readonly span: readonly [number, number]; readonly text: string }[],
): string {
  let source = ''
  let at = 0
  for (const { span, text: now } of [...changes].sort((a, b) => a.span[0] - b.span[0])) {
    const before = text.slice(span[0], span[1])
    const missing = lineEnds(before).length - lineEnds(now).length
    source += text.slice(at, span[0]) + now + '\n'.repeat(Math.max(0, missing))
    at = span[1]
  }
  return source + text.slice(at)
}

function lineEnds(text: string): string {
  return text.replaceAll(/[^\n]/g, '')
}
