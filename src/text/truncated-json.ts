/** Reports whether a body is the beginning of a JSON object: its parser fails where the text ends. */
export function isTruncatedJson(body: Uint8Array): boolean {
  const text = beginningIn(body)
  if (text?.trimStart().startsWith('{') !== true) return false
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const at = /at position (\d+)/.exec(error.message)?.[1]
    return at === undefined ? error.message.includes('end of JSON input') : Number(at) === text.length
  }
}

/** Returns its text, without a partial character at its end; undefined if it is not UTF-8. */
function beginningIn(body: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body, { stream: true })
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
