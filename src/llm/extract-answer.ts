/** The answer within a reply, or why it cannot be found. */
export type AnswerText = { readonly text: string } | { readonly problem: string }

/** Tags around a model's reasoning. */
const thought = 'think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad'
const opening = new RegExp(`\\s*(?:<(${thought})\\s*>|\\[(think)\\])`, 'iy')
/** Matches the end of reasoning that the chat template began, so that the reply has no opening tag. */
const endOnly = new RegExp(`</(?:${thought})\\s*>\\s*(?=[{\`~])`, 'i')

/**
 * Returns a reply without a byte order mark, the reasoning before the answer, and the one fence around it
 * with the text beside it. The removed parts are never searched: an example answer in them does not count.
 * Each step takes time proportional to the reply, whatever it contains.
 */
export function extractAnswer(reply: string): AnswerText {
  const said = withoutReasoning(reply.trim())
  if (said === undefined) return { problem: 'its reasoning does not end' }
  return said.startsWith('{') ? { text: said } : withoutFence(said)
}

/** Returns the text after the reasoning; undefined where the reasoning does not end. */
function withoutReasoning(text: string): string | undefined {
  let at = 0
  for (;;) {
    opening.lastIndex = at
    const begun = opening.exec(text)
    if (begun === null) break
    const [whole, tag] = begun
    const end = tag === undefined ? /\[\/think\]/gi : new RegExp(`</${tag}\\s*>`, 'gi')
    end.lastIndex = at + whole.length
    if (end.exec(text) === null) return undefined
    at = end.lastIndex
  }
  const rest = text.slice(at).trim()
  if (at > 0 || rest.startsWith('{')) return rest
  const ended = endOnly.exec(rest)
  return ended === null ? rest : rest.slice(ended.index + ended[0].length)
}

/** Removes a fence. JSON has no line ends inside its texts: every line that begins with a fence is one. */
function withoutFence(text: string): AnswerText {
  const lines = text.split('\n')
  const fences = lines.flatMap((line, index) => (isFence(line) ? [index] : []))
  const [first, last] = fences
  if (first === undefined) return { text }
  if (last === undefined) {
    const inner = lines.length === 1 && text.endsWith('```') ? text.replace(/^`+(?:json)?/i, '') : undefined
    return inner?.endsWith('```')
      ? { text: inner.slice(0, -3) }
      : { problem: 'its block of JSON does not end' }
  }
  if (fences.length > 2) return { problem: 'it contains more than one block' }
  const beside = [...lines.slice(0, first), ...lines.slice(last + 1)]
  if (beside.some((line) => line.includes('{'))) return { problem: 'it contains JSON outside its block' }
  return {
    text: lines
      .slice(first + 1, last)
      .join('\n')
      .trim(),
  }
}

function isFence(line: string): boolean {
  const start = line.trimStart()
  return start.startsWith('```') || start.startsWith('~~~')
}

const sqlFence =
  /^\s*(?:`{3,}|~{3,})\s*(?:sql|ansi|sqlite|duckdb|postgres(?:ql)?|mysql|trino|presto|bigquery|snowflake|spark|redshift)\s*$/i

/**
 * Returns the SQL of a reply that has it in one block marked as SQL, with or without words beside it; undefined if there is
 * none, or more than one block: then it is not known which is the answer.
 */
export function extractSqlBlock(reply: string): string | undefined {
  const lines = withoutReasoning(reply.trim())?.split(/\r?\n/) ?? []
  const [first, last, ...others] = lines.flatMap((line, index) => (isFence(line) ? [index] : []))
  if (first === undefined || last === undefined || others.length > 0) return undefined
  const sql = lines
    .slice(first + 1, last)
    .join('\n')
    .trim()
  return sqlFence.test(lines[first] ?? '') && sql !== '' ? sql : undefined
}
