import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadBenchmark } from '../../benchmark/load.js'
import type { Config } from '../../config/config.js'
import type { RoleRights } from '../../engine/contract/role-rights.js'
import { openEngine } from '../../engine/open-engine.js'
import { AutotestError } from '../../errors.js'
import { plural } from '../../report/format-text.js'
import { quoteShellArgument } from '../../text/shell-argument.js'
import { engineKinds, engineOptions } from '../engine-registry.js'
import { type Check, configurationCheck, type Finding, note, ok, problem } from './check.js'
import { withTemporaryFolder } from './with-temporary-folder.js'

const fixture = configurationCheck('fixture', async ({ fixture: script, root, engine }) => {
  const database = engine === undefined ? undefined : databaseFileOf(engine, root)
  if (script === undefined || database === undefined) return undefined
  const [present, built] = [existsSync(resolve(root, script)), existsSync(database)]
  if (present) return ok(built ? script : `${script}: the first run builds the database`)
  const restore = `git checkout HEAD -- ${quoteShellArgument(script)}`
  return built
    ? note(`${script} is missing; the database built from it exists`, restore)
    : problem(
        `${script} and the database built from it are missing`,
        `${restore}, or set \`fixture\` in autotest.config.yaml`,
      )
})

const engine = configurationCheck('engine', async (config) => {
  if (config.agent.kind === 'subagent') return undefined
  if (config.engine === undefined)
    return note(
      'none is configured: queries are compared by structure only',
      'engine: duckdb:FILE (or sqlite:FILE, postgres://USER@HOST/DATABASE, mysql://…) in autotest.config.yaml',
    )
  return findingOf(await probeEngine(config, config.engine))
})

/** Checks the databases that benchmark files specify themselves. */
const others = configurationCheck('other engines', async (config) => {
  const urls = await otherEngines(config)
  if (urls.length === 0) return undefined
  const answers = await Promise.all(
    urls.map((url) => probeEngine(config, url).then(findingOf, (error: unknown) => failed(url, error))),
  )
  const status = (['problem', 'note', 'ok'] as const).find((each) =>
    answers.some((answer) => answer.status === each),
  )
  const shown = answers.filter((answer) => answer.status === status)
  return {
    status: status ?? 'ok',
    detail: shown.map(({ detail }) => detail).join('\n'),
    fix: shown[0]?.fix,
  }
})

async function otherEngines(config: Config): Promise<string[]> {
  const named: (string | undefined)[] = [config.scoring.fuzzSource]
  try {
    const { cases } = await loadBenchmark({ paths: config.benchmarks, cwd: config.root })
    named.push(...cases.map((testCase) => testCase.engine))
  } catch (error) {
    // Problems of the benchmark are reported by another check.
    if (!(error instanceof AutotestError)) throw error
  }
  return [...new Set(named.flatMap((url) => (url === config.engine ? [] : (url ?? []))))]
}

function failed(url: string, error: unknown): Finding {
  if (error instanceof AutotestError) return problem(`${url}: ${error.message}`, error.hint)
  throw error
}

interface Probe {
  readonly detail: string
  /** What the role could do beyond reading. */
  readonly rights: RoleRights | undefined
}

/** Returns the finding about an engine that answers: rights beyond reading are a note, with what takes them away. */
function findingOf({ detail, rights }: Probe): Finding {
  if (rights === undefined) return ok(detail)
  const effects = rights.rights.map(({ effect }) => effect).join('; ')
  return note(
    `${detail}; ${rights.who} has rights beyond reading, which queries are refused to use: ${effects}`,
    [
      'as an administrator, for those that nothing else needs:',
      ...rights.rights.flatMap(({ statements }) => statements),
    ].join('\n'),
  )
}

/** Queries the engine as a run does; a database that a run would build is built outside the project. */
async function probeEngine(config: Config, url: string): Promise<Probe> {
  const options = { ...engineOptions(config, url), concurrency: 1 }
  const file = databaseFileOf(url, config.root)
  if (options.fixture === undefined || file === undefined || existsSync(file))
    return queryEngine(url, { ...options, fixture: undefined }, url)
  const scheme = url.slice(0, url.indexOf(':') + 1)
  return withTemporaryFolder((folder) =>
    queryEngine(`${scheme}${join(folder, 'fixture.db')}`, options, `${url}, built from ${options.fixture},`),
  )
}

async function queryEngine(
  url: string,
  options: ReturnType<typeof engineOptions>,
  shown: string,
): Promise<Probe> {
  const notes: string[] = []
  let rights: RoleRights | undefined
  const opened = await openEngine(url, engineKinds, {
    ...options,
    onNote: (text) => notes.push(text),
    onRights: (found) => {
      rights = found
    },
  })
  try {
    const limits = { timeoutMs: 10_000, rows: 1, bytes: 1000, memoryBytes: options.memoryBytes }
    const outcome = await opened.query('SELECT 1', limits)
    if (outcome.kind !== 'rows')
      throw new AutotestError('engine_unavailable', `${shown} does not answer SELECT 1: ${outcome.message}`)
    const { tables } = await opened.catalogue()
    const counted = tables.length === 0 ? [] : [plural(tables.length, 'table')]
    // That it is built is said by `shown`.
    const said = options.fixture === undefined ? notes : []
    return { detail: [`${shown} answers SELECT 1`, ...counted, ...said].join('; '), rights }
  } finally {
    await opened.close()
  }
}

/** Returns the absolute path of the file that an engine's URL names; undefined for a server. */
function databaseFileOf(url: string, root: string): string | undefined {
  const path = /^(?:duckdb|sqlite):(.*)$/s.exec(url)?.[1]
  return path === undefined ? undefined : resolve(root, path)
}

export const engineChecks: readonly Check[] = [fixture, engine, others]
