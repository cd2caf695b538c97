import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ComparisonRequest } from '../../app/compare/comparison-request.js'
import { parseDialect } from '../../app/compare/parse-dialect.js'
import type { Config } from '../../config/config.js'
import type { Dialect } from '../../enums/dialect.js'
import { AutotestError, messageOf } from '../../errors.js'
import { decodeUtf8 } from '../../text/utf8.js'
import type { CompareFlags } from './flags.js'

/** Returns the dialect of each query; undefined: the engine's. */
export interface FlagDialects {
  readonly expected: Dialect | undefined
  readonly generated: Dialect | undefined
}

/** Returns the dialects in the flags. Throws `usage` for an unknown dialect. */
export function dialectsFromFlags(flags: CompareFlags): FlagDialects {
  const named = (flag: 'expected-dialect' | 'generated-dialect'): Dialect | undefined => {
    const own = flags[flag]
    if (own !== undefined) return parseDialect(own, `--${flag}`)
    return flags.dialect === undefined ? undefined : parseDialect(flags.dialect, '--dialect')
  }
  const asked = { expected: named('expected-dialect'), generated: named('generated-dialect') }
  const [missing] = (['expected', 'generated'] as const).filter((side) => asked[side] === undefined)
  if (missing === undefined || asked.expected === asked.generated || flags.engine !== undefined) return asked
  throw new AutotestError('usage', `the dialect of the ${missing} query is missing`, {
    hint: `Add --${missing}-dialect, or --dialect for both.`,
  })
}

/** Returns the two queries of the flags as a case. */
export async function requestFromFlags(
  flags: CompareFlags,
  dialects: FlagDialects,
  config: Config,
  cwd: string,
): Promise<ComparisonRequest> {
  const { expected, generated } = flags
  if (expected === undefined || generated === undefined) {
    const missing = expected === undefined ? '--expected' : '--generated'
    throw new AutotestError('usage', `${missing} is missing: autotest compare needs two queries`, {
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
      dialect: dialects.expected,
      compare: { tolerance: config.scoring.tolerance },
      location: place,
      sqlLocation: place,
    },
    generatedSql: await textOf('--generated', generated, cwd),
    generatedDialect: dialects.generated,
    engine: flags.engine === undefined ? undefined : config.engine,
  }
}

/** Returns the text itself, or that of the file named after `@`. */
async function textOf(flag: string, value: string, cwd: string): Promise<string> {
  const text = value.startsWith('@') ? await fileText(flag, value.slice(1), cwd) : value
  if (text.trim() !== '') return text.startsWith('\u{feff}') ? text.slice(1) : text
  throw new AutotestError('usage', `${flag} ${value}: contains no query`, {
    hint: 'Give one SQL query.',
  })
}

async function fileText(flag: string, path: string, cwd: string): Promise<string> {
  const bytes = await readFile(resolve(cwd, path)).catch((error: unknown) => {
    throw new AutotestError('usage', `${flag} @${path} cannot be read: ${messageOf(error)}`, { cause: error })
  })
  const text = decodeUtf8(bytes)
  if (text !== undefined) return text
  throw new AutotestError('usage', `${flag} @${path} is not UTF-8`, { hint: 'Save it as UTF-8.' })
}
