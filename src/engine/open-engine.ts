import { closest } from 'fastest-levenshtein'
import { AutotestError } from '../errors.js'
import type { Engine } from './contract/engine.js'
import type { EngineKind, EngineOptions } from './contract/engine-kind.js'

/**
 * Opens the engine of `scheme:location`, or of the address of a query service; throws `engine_unknown` or the
 * errors of the kind's `open`.
 */
export async function openEngine(
  url: string,
  kinds: readonly EngineKind[],
  options: EngineOptions,
): Promise<Engine> {
  const { scheme, location } = splitEngineUrl(url)
  const kind = kinds.find((candidate) => candidate.scheme === scheme)
  // Never shows the whole URL of an unknown scheme: it may contain a password.
  if (kind === undefined) throw unknownEngine(scheme, kinds)
  if (location === '') {
    throw new AutotestError('engine_unknown', `engine "${url}" has no database`, {
      hint: `Write a path after the colon: ${scheme}:data/shop.db`,
    })
  }
  return kind.open(location, options)
}

/** Returns the kind that an engine's URL names, and what follows it. */
export function splitEngineUrl(url: string): { readonly scheme: string; readonly location: string } {
  // The address of a query service needs no scheme before it.
  if (/^https?:\/\//i.test(url)) return { scheme: 'http', location: url }
  const colon = url.indexOf(':')
  const scheme = url.slice(0, Math.max(0, colon))
  // What PostgreSQL's own tools write, too.
  return { scheme: scheme === 'postgresql' ? 'postgres' : scheme, location: url.slice(colon + 1) }
}

function unknownEngine(scheme: string, kinds: readonly EngineKind[]): AutotestError {
  const known = kinds.map((kind) => kind.scheme)
  const list = known.map((name) => `${name}:`).join(', ')
  if (scheme === '') {
    return new AutotestError('engine_unknown', 'the engine has no scheme', {
      hint: `Write it as scheme:path, with one of ${list}`,
    })
  }
  const hint = `Did you mean "${closest(scheme.toLowerCase(), known)}:"? Known: ${list}`
  return new AutotestError('engine_unknown', `unknown engine "${scheme}:"`, { hint })
}
