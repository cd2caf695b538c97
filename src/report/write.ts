import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { AutotestError, messageOf } from '../errors.js'
import { makeFolder } from '../platform/make-folder.js'
import type { RunDetail } from '../store/record-types.js'
import { redactCase, redactDetail } from '../store/redact-records.js'
import { createRedactor, type Environment, type Redactor } from '../text/secrets.js'
import { htmlReport } from './html/html-report.js'
import type { RunHistory } from './html/page-data.js'
import { jsonReport } from './json.js'
import { junitReport } from './junit.js'
import { markdownReport } from './markdown.js'

/** A report as text, or in pieces; `clean` takes secrets out of what it is given. */
type Format = (detail: RunDetail, history: RunHistory, clean: Redactor) => Iterable<string>

/** Formats of report files, by extension. */
const formats: Readonly<Record<string, Format>> = {
  '.html': (detail, history, clean) => [htmlReport(redactDetail(detail, clean), history)],
  // One case after the other, so that no second copy of all is made.
  '.json': (detail, _, clean) =>
    jsonReport({ ...redactDetail({ ...detail, cases: [] }, clean), cases: detail.cases }, (record) =>
      redactCase(record, clean),
    ),
  '.xml': (detail, _, clean) => [junitReport(redactDetail(detail, clean))],
  '.md': (detail, _, clean) => [markdownReport(redactDetail(detail, clean))],
}

/** Throws `usage` for a file whose extension is no format; to be called before a run, not after it. */
export function checkReportFile(file: string): void {
  formatOf(file)
}

/** Creates the folder of a report file. Throws `write_failed` if it cannot be created or written to. */
export async function prepareReportFolder(file: string): Promise<void> {
  try {
    makeFolder(dirname(file))
    await access(dirname(file), constants.W_OK)
  } catch (error) {
    throw writeFailed(file, error)
  }
}

/** Returns the report of a run as text, in the format of the file's extension, without secrets of `env`. */
export function formatReport(
  detail: RunDetail,
  file: string,
  env: Environment = process.env,
  history: RunHistory = { runs: [] },
): string {
  return [...reportPieces(detail, file, env, history)].join('')
}

function reportPieces(
  detail: RunDetail,
  file: string,
  env: Environment,
  history: RunHistory,
): Iterable<string> {
  const redact = createRedactor(env)
  const before = history.before && redactDetail(history.before, redact)
  return formatOf(file)(detail, { ...history, before }, redact)
}

/**
 * Writes the report in the format of the file's extension; the folder is created, the file replaced
 * atomically. Throws `usage` for another extension and `write_failed` if it cannot be written.
 */
export async function writeReport(
  detail: RunDetail,
  file: string,
  env: Environment = process.env,
  history: RunHistory = { runs: [] },
): Promise<void> {
  await writeReportText(file, reportPieces(detail, file, env, history))
}

/** Reports whether a file's format shows earlier runs too. */
export function showsHistory(file: string): boolean {
  return extname(file).toLowerCase() === '.html'
}

/** Writes text, whole or in pieces, as `writeReport` does. */
export async function writeReportText(file: string, text: string | Iterable<string>): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(4).toString('hex')}.tmp`)
  try {
    makeFolder(dirname(file))
    await writeDurably(temporary, typeof text === 'string' ? [text] : text)
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true }).catch((left: unknown) => {
      throw writeFailed(file, left)
    })
    throw writeFailed(file, error)
  }
}

/** Characters written at once. */
const writtenAtOnce = 1_000_000

async function writeDurably(file: string, pieces: Iterable<string>): Promise<void> {
  const handle = await open(file, 'wx')
  try {
    let waiting: string[] = []
    let length = 0
    const write = async (): Promise<void> => {
      await handle.writeFile(waiting.join(''))
      waiting = []
      length = 0
    }
    for (const piece of pieces) {
      waiting.push(piece)
      length += piece.length
      if (length >= writtenAtOnce) await write()
    }
    await write()
    await handle.sync()
  } finally {
    await handle.close()
  }
}

function formatOf(file: string): Format {
  const format = formats[extname(file).toLowerCase()]
  if (format !== undefined) return format
  throw new AutotestError('usage', `${file}: unknown report format`, {
    hint: 'Use .html, .json, .xml (JUnit) or .md (markdown).',
  })
}

function writeFailed(file: string, cause: unknown): AutotestError {
  return new AutotestError('write_failed', `${file}: cannot write the report: ${messageOf(cause)}`, {
    hint: 'Choose a file in a writable folder: --output FILE.',
    cause,
  })
}
