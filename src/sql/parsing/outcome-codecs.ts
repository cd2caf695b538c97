import type { ParseOutcome, TranslateOutcome } from '../parser-interface.js'
import { type Codec, sha256 } from '../persistent-parse-cache.js'
import type { Schema } from '../tables/table-schema.js'
import type { SqlToken, TokenizeOutcome } from '../tokens.js'

/** JSON has no `undefined`: the one list that may hold it is the names of a query's outputs. */
const unnamed = (key: string, value: unknown): unknown =>
  key === 'names' && Array.isArray(value) ? value.map((name: unknown) => name ?? undefined) : value

export const parseOutcomeCodec: Codec<ParseOutcome> = {
  encode: (outcome) => JSON.stringify(outcome),
  decode: (body) => JSON.parse(body, body.includes('null') ? unnamed : undefined),
}

export const translateOutcomeCodec: Codec<TranslateOutcome> = {
  encode: (outcome) => JSON.stringify(outcome),
  decode: (body) => JSON.parse(body),
}

type StoredToken = readonly [kind: SqlToken['kind'], start: number, end: number, value?: string]
type StoredTokens = { readonly tokens: readonly StoredToken[] } | { readonly failed: string }

/** Without the tokens' texts, which are in the query. */
export const tokenizeOutcomeCodec: Codec<TokenizeOutcome> = {
  encode(outcome) {
    const stored: StoredTokens =
      outcome.kind === 'failed' ? { failed: outcome.message } : { tokens: outcome.tokens.map(storedToken) }
    return JSON.stringify(stored)
  },
  decode(body, sql) {
    const stored: StoredTokens = JSON.parse(body)
    if ('failed' in stored) return { kind: 'failed', message: stored.failed }
    return { kind: 'tokens', tokens: stored.tokens.map((token) => tokenOf(token, sql)) }
  },
}

function storedToken({ kind, text, value, start, end }: SqlToken): StoredToken {
  return value === text ? [kind, start, end] : [kind, start, end, value]
}

function tokenOf([kind, start, end, value]: StoredToken, sql: string): SqlToken {
  const text = sql.slice(start, end)
  return { kind, text, value: value ?? text, start, end }
}

const digests = new WeakMap<Schema, string>()

/** Stands for a schema in a key: the same for the same tables. */
export function schemaDigest(schema: Schema | undefined): string {
  if (schema === undefined) return ''
  const known = digests.get(schema) ?? sha256(JSON.stringify(schema, mapsAsLists))
  digests.set(schema, known)
  return known
}

function mapsAsLists(_key: string, value: unknown): unknown {
  return value instanceof Map ? [...value] : value
}
