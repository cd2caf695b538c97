import type { SqlToken } from '../../../../../sql/index.js'
import { tokenKey } from '../../model/question-values.js'
import type { Difference } from './alignment.js'

/** Names that only one of the two texts has: with more of them, it is not one that was renamed. */
const maxNames = 4

/**
 * One name in the place of another wherever a snippet has it: a column that is given out by one sub-query and read by the next
 * stands in several clauses, none of which is mended without the others. Each is to be tried on its own.
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

/** By key, as they are first written. */
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
