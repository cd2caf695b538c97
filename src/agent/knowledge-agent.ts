import type { StoredValues } from '../contracts/stored-values.js'
import type { Dialect } from '../enums/dialect.js'
import { answerFromEntries, placeOf, type SpellingOf } from '../kb/nearest/nearest-entry.js'
import { entriesOf } from '../kb/parse.js'
import { loadSqlParser, type SqlToken } from '../sql/index.js'
import type { Agent } from './agent.js'

export interface KnowledgeAgentOptions {
  /** Returns what is known of the data of an engine; undefined: of the configured one. Undefined: its data are not read. */
  readonly storedValues: (engine: string | undefined) => Promise<StoredValues | undefined>
}

/**
 * Creates autotest's own agent for knowledge in other formats: it answers with the query of the nearest entry, its values
 * exchanged for those of the question. Deterministic and offline; it abstains, with the words that no entry covers.
 */
export function knowledgeAgent({ storedValues }: KnowledgeAgentOptions): Agent {
  return {
    name: 'knowledge',
    deterministic: true,
    isOwn: true,
    async ask({ question, asOf, dialect, engine, own = [] }, snapshot) {
      const started = performance.now()
      const tokensOf = tokenizer(await loadSqlParser(), dialect)
      const stored = await storedValues(engine)
      const spellingOf: SpellingOf = async (sql, text, value) =>
        stored?.spellingOf({ sql, dialect, text }, value)
      const { entries } = entriesOf(snapshot)
      const hidden = new Set(own.map(({ id }) => id))
      const others = hidden.size === 0 ? entries : entries.filter(({ id }) => !hidden.has(id))
      const found = await answerFromEntries(question, others, asOf, tokensOf, spellingOf)
      const ms = (): number => performance.now() - started
      if (found.kind === 'answer')
        return { kind: 'answer', text: found.sql, read: [found.entry.id], ms: ms() }
      // Without another entry the case's own is compared with what it expects: knowledge against benchmark, and no answer.
      const itself =
        hidden.size === 0 ? undefined : await answerFromEntries(question, own, asOf, tokensOf, spellingOf)
      if (itself?.kind === 'answer') {
        const { id } = itself.entry
        const ownExample = placeOf(itself.entry)
        return { kind: 'answer', text: itself.sql, read: [id], ms: ms(), ownExample, isCompared: true }
      }
      const read = found.nearest === undefined ? [] : [found.nearest.id]
      return { kind: 'no_answer', message: found.message, read, ms: ms() }
    },
    close: () => Promise.resolve(),
  }
}

const tokenized = new Map<string, readonly SqlToken[]>()

function tokenizer(
  parser: Awaited<ReturnType<typeof loadSqlParser>>,
  dialect: Dialect,
): (sql: string) => readonly SqlToken[] {
  return (sql) => {
    const key = `${dialect}\0${sql}`
    const known = tokenized.get(key)
    if (known !== undefined) return known
    const outcome = parser.tokenize(sql, dialect)
    const tokens = outcome.kind === 'tokens' ? outcome.tokens : []
    tokenized.set(key, tokens)
    return tokens
  }
}
