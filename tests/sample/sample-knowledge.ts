import { readdirSync, readFileSync } from 'node:fs'
import { interpret } from '../../src/kb/interpret.js'
import type { Interpretation } from '../../src/kb/interpretation.js'
import { parseKnowledgeBase } from '../../src/kb/parse.js'
import { renderSnippet } from '../../src/kb/render.js'
import { createSnapshot, type Snapshot, withFiles } from '../../src/snapshot/snapshot.js'
import type { SampleCase } from './sample-files.js'

/** The sample's knowledge base as it is in git. */
export const cleanKnowledge: Snapshot = createSnapshot(
  new Map(
    readdirSync('kb', { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = `${entry.parentPath}/${entry.name}`
        return [path, readFileSync(path)]
      }),
  ),
)

/** A knowledge base in which some files have other texts. */
export function withTexts(snapshot: Snapshot, texts: Iterable<readonly [string, string]>): Snapshot {
  return withFiles(snapshot, new Map([...texts].map(([path, text]) => [path, Buffer.from(text)])))
}

export function understood({ question }: SampleCase, snapshot: Snapshot): Interpretation {
  return interpret(question, parseKnowledgeBase(snapshot, 'kb'), '2025-12-31')
}

/** The filled snippet that answers a case, or why there is none. */
export function answer(
  one: SampleCase,
  snapshot: Snapshot,
): { readonly sql: string } | { readonly reason: string } {
  const meaning = understood(one, snapshot)
  if (meaning.kind === 'unbound') return { reason: meaning.message }
  const snippet = parseKnowledgeBase(snapshot, 'kb').snippets.get(meaning.metric.snippet)
  if (snippet === undefined) return { reason: `no snippet ${meaning.metric.snippet}` }
  const rendered = renderSnippet(snippet, meaning.metric, meaning.bindings, 'duckdb')
  return rendered.kind === 'sql' ? rendered : { reason: rendered.message }
}
