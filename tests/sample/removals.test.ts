import { describe, expect, it } from 'vitest'
import { isMap, isScalar, isSeq, parseDocument, visit } from 'yaml'
import { sampleCases, sampleMetrics } from './sample-files.js'
import { answer, cleanKnowledge, understood, withTexts } from './sample-knowledge.js'

type Path = readonly (string | number)[]

/** Each alias of a metric, of a value or of a choice, and each value of an enumeration: where it stands, and its words. */
function removable(text: string): { readonly at: Path; readonly words: readonly string[] }[] {
  const document = parseDocument(text)
  const found: { at: Path; words: readonly string[] }[] = []
  visit(document, {
    Pair(_key, pair, parents) {
      const path = [...parents, pair].flatMap((node) =>
        node !== null && 'key' in node && isScalar(node.key) ? [String(node.key.value)] : [],
      )
      if (!isSeq(pair.value)) return
      const words = pair.value.items.map((item) => (isScalar(item) ? String(item.value) : ''))
      const kind = path.at(-1)
      const isEnum = path.length === 4 && path[2] === 'values'
      if (kind === 'aliases' || isEnum) {
        for (const [index, word] of words.entries()) found.push({ at: [...path, index], words: [word] })
      }
      if (isEnum) found.push({ at: path, words: [String(kind), ...words] })
    },
  })
  return found
}

function without(text: string, at: Path): string {
  const document = parseDocument(text)
  if (!isMap(document.contents) || !document.deleteIn(at)) throw new Error(`nothing at ${at.join('.')}`)
  return document.toString()
}

const metricOf = new Map(sampleCases.map((one) => [one.id, understood(one, cleanKnowledge).metric?.name]))

async function removed(metric: string, text: string, { at, words }: ReturnType<typeof removable>[number]) {
  const knowledge = withTexts(cleanKnowledge, [[`kb/metrics/${metric}.yaml`, without(text, at)]])
  const own = sampleCases.filter(({ id }) => metricOf.get(id) === metric)
  const changed = await Promise.all(
    own.map(async (one) => (await answer(one, knowledge)) !== (await answer(one, cleanKnowledge))),
  )
  return {
    name: `${metric}.${at.join('.')}`,
    words,
    knowledge,
    hit: own.filter((_, index) => changed[index]),
  }
}

const removals = await Promise.all(
  [...sampleMetrics].flatMap(([metric, text]) => removable(text).map((one) => removed(metric, text, one))),
)
const needed = removals.filter(({ hit }) => hit.length > 0).map((removal) => [removal.name, removal] as const)

describe('an alias or value that a case needs', () => {
  it('is what most of them are', () => {
    expect(needed.length).toBeGreaterThan(100)
  })

  it.each(needed)('%s is missed, never answered by something else', (_name, { words, knowledge, hit }) => {
    for (const one of hit) {
      const meaning = understood(one, knowledge)
      expect(meaning.kind).toBe('unbound')
      // Its words are left over in one piece, so they can be given back.
      const left = meaning.kind === 'unbound' ? meaning.leftovers.map(({ text }) => text.toLowerCase()) : []
      expect(words.map((word) => word.toLowerCase()).some((word) => left.includes(word))).toBe(true)
    }
  })
})
