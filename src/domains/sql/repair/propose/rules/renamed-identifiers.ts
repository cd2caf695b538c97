import type { SqlToken } from '../../../../../sql/index.js'
import { tokenKey } from '../../model/question-values.js'
import type { Difference } from './snippet-alignment.js'

/** How many names may occur in only one of the texts: with more of them, it was not a single rename. */
const maxNames = 4

/**
 * Proposes one name in place of another wherever a snippet has it: a column that one sub-query returns and
 * the next reads occurs in several clauses, none of which can be repaired alone. Each proposal has to be
 * tried separately.
 */
export function renamedIdentifiers(
  snippet: readonly SqlToken[],
  expected: readonly SqlToken[],
): Difference[] {
  const [ours, theirs] = [namesIn(snippet), namesIn(expected)]
  const gone = [...ours.keys()].filter((key) => !theirs.has(key))
  const come = [...theirs].filter(([key]) => !ours.has(key))
  if (gone.length > maxNames || come.length > maxNames) return []
  return gone.flatMap((key) => {
    const places = snippet.filter((token) => isName(token) && tokenKey(token) === key)
    return come.map(([, name]): Difference => {
      const old = places[0]?.text ?? key
      return {
        clause: 'select',
        changes: places.map(({ start, end }) => ({ start, end, text: name })),
        description: `has ${name} wherever the snippet has ${old}`,
        title: `${name} instead of ${old}`,
        keep: false,
      }
    })
  })
}

/** Returns the names by key, as first written. */
function namesIn(tokens: readonly SqlToken[]): Map<string, string> {
  return new Map(
    tokens
      .filter(isName)
      .map((token): [string, string] => [tokenKey(token), token.text])
      .reverse(),
  )
}

function isName({ kind }: SqlToken): boolean {
  return kind === 'word' || kind === 'quoted'
}
