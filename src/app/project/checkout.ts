import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { Config } from '../../config/config.js'
import type { MissingKnowledge } from '../../domains/sql/evaluator.js'
import { splitEngineUrl } from '../../engine/open-engine.js'
import { AutotestError, type ErrorCode } from '../../errors.js'
import {
  checkOutCommand,
  describeNotCheckedOut,
  findNotCheckedOut,
  type NotCheckedOut,
  textInIndex,
} from '../../git/not-checked-out.js'

const known = new WeakMap<Config, Promise<readonly NotCheckedOut[]>>()

/** Returns what git has of the paths that a configuration names, and leaves out of the working tree. */
export function notCheckedOut(config: Config): Promise<readonly NotCheckedOut[]> {
  const found = known.get(config) ?? findNotCheckedOut(config.root, pathsNamed(config))
  known.set(config, found)
  return found
}

function pathsNamed(config: Config): string[] {
  const { root, kb, agents, benchmarks, fixture } = config
  const paths = [
    ...benchmarks.map(withoutPattern),
    kb,
    agents,
    ...agentFiles(config),
    ...databaseFiles(config),
  ]
  return [...paths, ...(fixture === undefined ? [] : [fixture])].flatMap((path) => {
    const inside = relative(root, resolve(root, path)).split(sep).join('/')
    return isAbsolute(inside) || inside === '..' || inside.startsWith('../')
      ? []
      : [inside === '' ? '.' : inside]
  })
}

/** Returns the folder in which a glob begins; another path unchanged. */
function withoutPattern(path: string): string {
  const parts = path.split('/')
  const at = parts.findIndex((part) => /[*?[\]{}()!]/u.test(part))
  return at < 0 ? path : parts.slice(0, at).join('/') || '.'
}

/** Returns the paths that name the agent: its module, its definition, or the words of its command. */
export function agentFiles({ agent, agents }: Config): readonly string[] {
  switch (agent.kind) {
    case 'module':
      return [agent.path]
    case 'command':
      // Words that are no paths are unknown to git.
      return agent.run.filter((word) => !word.startsWith('-'))
    case 'llm':
    case 'subagent':
      return [`${agents}/${agent.definition}`]
    case 'template':
    case 'knowledge':
    case 'http':
      return []
  }
}

/** Returns the error of an engine; with what is not checked out, if that is its database or the script for it. */
export async function engineError(error: unknown, config: Config): Promise<unknown> {
  if (!(error instanceof AutotestError) || error.code !== 'engine_unavailable') return error
  const { fixture, root } = config
  const paths = [...databaseFiles(config), ...(fixture === undefined ? [] : [fixture])]
  const absent = absentBelow(await notCheckedOut(config), root, paths)
  return absent.length === 0 ? error : absentError('engine_unavailable', error.message, absent)
}

/** Returns the paths of database files, as the configuration names them. */
export function databaseFiles({ engine, scoring }: Config): string[] {
  return [engine, scoring.fuzzSource].flatMap((url) => {
    if (url === undefined) return []
    const { scheme, location } = splitEngineUrl(url)
    return ['duckdb', 'sqlite'].includes(scheme) ? [location] : []
  })
}

/** Returns those at or below some of the paths, as the configuration names them. */
export function absentBelow(
  absent: readonly NotCheckedOut[],
  root: string,
  paths: readonly string[],
): readonly NotCheckedOut[] {
  const places = paths.map((path) =>
    relative(root, resolve(root, withoutPattern(path)))
      .split(sep)
      .join('/'),
  )
  return absent.filter(({ path, isFolder }) =>
    places.some(
      (place) =>
        place === '' ||
        path === place ||
        path.startsWith(`${place}/`) ||
        // A folder above it: a submodule that has it.
        (isFolder && `${place}/`.startsWith(path.endsWith('/') ? path : `${path}/`)),
    ),
  )
}

/** Returns the error about files that are needed and not checked out. */
export function absentError(
  code: ErrorCode,
  subject: string,
  absent: readonly NotCheckedOut[],
): AutotestError {
  return new AutotestError(code, `${subject}: ${describeNotCheckedOut(absent).join('; ')}`, {
    hint: `Run: ${checkOutCommand(absent)}`,
  })
}

/** Returns the knowledge that is missing on disk: not checked out, or a pointer in its place. */
export async function missingKnowledge(
  config: Config,
  pointers: readonly { readonly path: string; readonly message: string }[],
): Promise<MissingKnowledge | undefined> {
  const absent = absentBelow(await notCheckedOut(config), config.root, [config.kb])
  if (absent.length === 0 && pointers.length === 0) return undefined
  const texts = await Promise.all(absent.map((each) => textInIndex(config.root, each)))
  const isComplete = pointers.length === 0 && texts.every((text) => text !== undefined)
  return {
    description: [
      ...describeNotCheckedOut(absent),
      ...pointers.map(({ path, message }) => `${path} ${message}`),
    ].join('; '),
    files: isComplete
      ? new Map(absent.map(({ path }, at) => [path, new TextEncoder().encode(texts[at] ?? '')]))
      : undefined,
  }
}
