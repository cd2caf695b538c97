import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { SqlCase } from '../../benchmark/case.js'
import type { Config } from '../../config/config.js'
import type { Dialect } from '../../dialect.js'
import { AutotestError, messageOf } from '../../errors.js'
import type { CompareFlags } from './flags.js'

/** What a person asks to compare. */
export interface Question {
  readonly testCase: SqlCase
  readonly generatedSql: string
  /** What the generated query is written in; undefined: the engine's. */
  readonly generatedDialect: Dialect | undefined
  readonly engine: string | undefined
}

/** The two queries of the flags, as a case of its own. */
export async function questionOfFlags(
  flags: CompareFlags,
  dialect: Dialect | undefined,
  config: Config,
  cwd: string,
): Promise<Question> {
  const { expected, generated } = flags
  if (expected === undefined || generated === undefined) {
    const missing = expected === undefined ? '--expected' : '--generated'
    throw new AutotestError('usage', `${missing} is missing: autotest compare takes two queries`, {
      hint: 'Give both, each as SQL or as @FILE.',
    })
  }
  const place = { file: '--expected', line: 1, column: 1 }
  return {
    testCase: {
      kind: 'sql',
      id: 'compare',
      question: '',
      expectedSql: await textOf('--expected', expected, cwd),
      tags: [],
      dialect,
      compare: { tolerance: config.scoring.tolerance },
      location: place,
      sqlLocation: place,
    },
    generatedSql: await textOf('--generated', generated, cwd),
    generatedDialect: dialect,
    engine: flags.engine === undefined ? undefined : config.engine,
  }
}

/** The text itself, or that of the file it names after `@`. */
async function textOf(flag: string, value: string, cwd: string): Promise<string> {
  const text = value.startsWith('@') ? await fileText(flag, value.slice(1), cwd) : value
  if (text.trim() !== '') return text.startsWith('\u{feff}') ? text.slice(1) : text
  throw new AutotestError('usage', `${flag} ${value}: there is no query in it`, {
    hint: 'Give one SQL query.',
  })
}

async function fileText(flag: string, path: string, cwd: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), 'utf8')
  } catch (error) {
    throw new AutotestError('usage', `${flag} @${path} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}
