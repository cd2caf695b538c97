import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'
import { samplePath } from './sample-root.js'

/** A case of the sample's benchmark as its file has it. */
export interface SampleCase {
  readonly id: string
  readonly question: string
  readonly sql: string
  readonly tags: readonly string[]
}

const benchmarkFile = z.strictObject({
  cases: z.array(
    z.strictObject({
      id: z.string(),
      question: z.string(),
      expected_sql: z.string(),
      tags: z.array(z.string()),
    }),
  ),
})

/** Texts of the sample's benchmark files, by path. */
export const benchmarkTexts: ReadonlyMap<string, string> = new Map(
  readdirSync(samplePath('benchmarks'))
    // Folders are samples of their own.
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => [`benchmarks/${file}`, readFileSync(samplePath(`benchmarks/${file}`), 'utf8')]),
)

/** The sample's cases in the order of its files. */
export const sampleCases: readonly SampleCase[] = casesIn(benchmarkTexts)

/** Names of the sample's metrics, with the text of each file. */
export const sampleMetrics: ReadonlyMap<string, string> = new Map(
  readdirSync(samplePath('kb/metrics')).map((file) => [
    basename(file, '.yaml'),
    readFileSync(samplePath(`kb/metrics/${file}`), 'utf8'),
  ]),
)

/** The cases of benchmark files given as texts. */
export function casesIn(texts: ReadonlyMap<string, string>): SampleCase[] {
  return [...texts.values()].flatMap((text) =>
    benchmarkFile
      .parse(parse(text))
      .cases.map(({ id, question, expected_sql, tags }) => ({ id, question, sql: expected_sql, tags })),
  )
}
