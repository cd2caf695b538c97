import { unprintable } from '../text/unprintable.js'

/** A message is for people; a model may write as much as it is paid for. */
const maxBodyLength = 8000
const maxLineLength = 4000

/**
 * What forges, chats and build services look for inside a line, each by the character that it cannot do without: a
 * mention (`@name`, `<!here>`), a reference or command (`#1`, `!2`, `#close`, `fixup!`), words in brackets
 * (`[skip ci]`), stars (`***NO_CI***`).
 */
const parts: readonly (readonly [RegExp, string])[] = [
  [/@(?=[\p{L}\p{N}_])/gu, '@ '],
  [/#(?=[\p{L}\p{N}_])/gu, '# '],
  // `!=` and `!~` are operators.
  [/!(?![=~])/gu, ''],
  [/\[(?=[^[\]]*\p{L}[^[\]]*\])([^[\]]*)\]/gu, '[ $1 ]'],
  [/\*{3,}/gu, '**'],
]

/** Issues of other systems, and addresses, are closed by a verb in front of them only. */
const closed =
  /\b((?:clos|fix|resolv|implement|complet)\p{L}*)(\s*:?\s+)(?=(?:issues?\s+)?(?:[A-Z][A-Z\d_]*-\d|https?:\/\/))/giu

/**
 * Returns text of users and models for a commit message: no invisible characters, nothing inside a line that notifies somebody,
 * skips a pipeline or closes an issue when it is pushed, and no more than people read. What only the start of a line makes a
 * trailer or a command is left to `quoted`.
 */
export function safeCommitText(text: string): string {
  // Cut first: patterns take time.
  const shown = cut(text, maxBodyLength)
  const lines = shown.split(/\r\n|[\r\n\u2028\u2029]/u).map((line) => {
    const clean = parts.reduce<string>(
      (rest, [pattern, replacement]) => rest.replaceAll(pattern, replacement),
      cut(line, maxLineLength).replaceAll(unprintable, ' '),
    )
    return clean.replaceAll(closed, '$1 (see)$2')
  })
  return cut(lines.join('\n'), maxBodyLength)
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}

/**
 * Returns lines as mail quotes them: none begins as a trailer (`Approved-by:`, `BREAKING CHANGE:`), a quick action
 * (`/tag`), or the head of a patch, whatever its text is.
 */
export function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
}
