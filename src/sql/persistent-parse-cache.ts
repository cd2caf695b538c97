import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { builtModulePath } from '../platform/built-module.js'

/** Parse outcomes of earlier runs, by key. It never throws, and may forget any entry at any time. */
export interface ParseCache {
  /** Whether nothing is kept yet, so that queries will have to be parsed. */
  readonly isEmpty: boolean
  /** The body last kept under the key, whole and unchanged, or undefined. */
  get(key: string): string | undefined
  set(key: string, body: string): void
}

/** How outcomes are written down. */
export interface Codec<Outcome> {
  encode(outcome: Outcome): string
  /** @param text the query that was read */
  decode(body: string, text: string): Outcome
}

/** Longer texts are rare, and what is read of them is large. */
const longestText = 100_000

let inUse: ParseCache | undefined

/** From here on, what is read of queries is looked up in this cache first, and kept in it; undefined: in none. */
export function useParseCache(cache: ParseCache | undefined): void {
  inUse = cache
}

export function parseCacheInUse(): ParseCache | undefined {
  return inUse
}

/**
 * Returns the outcome of reading the text: the one kept by an earlier run, or else that of `read`. Errors that `read`
 * throws are not kept.
 *
 * @param asked everything else that the outcome depends on: operation, dialects, schema
 */
export function readThroughCache<Outcome>(
  codec: Codec<Outcome>,
  asked: readonly string[],
  text: string,
  read: () => Outcome,
): Outcome {
  const key = inUse === undefined || text.length > longestText ? undefined : keyOf(asked, text)
  const body = key === undefined ? undefined : inUse?.get(key)
  if (body !== undefined) return codec.decode(body, text)
  const outcome = read()
  if (key !== undefined) inUse?.set(key, codec.encode(outcome))
  return outcome
}

/** Undefined in a build that does not say which it is: then nothing is kept. */
function keyOf(asked: readonly string[], text: string): string | undefined {
  const version = codeVersion()
  return version === undefined ? undefined : sha256(JSON.stringify([version, ...asked, text]))
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

let version: string | undefined

/** A digest of all code that reads queries, written by the build: another version may read the same text otherwise. */
function codeVersion(): string | undefined {
  version ??= readVersion()
  return version === '' ? undefined : version
}

function readVersion(): string {
  try {
    return readFileSync(builtModulePath('parser/version.txt'), 'utf8').trim()
  } catch {
    return ''
  }
}
