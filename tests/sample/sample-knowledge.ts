import { templateAgent } from '../../src/agent/template-agent.js'
import { interpret } from '../../src/kb/interpret-question.js'
import { parseKnowledgeBase } from '../../src/kb/parse.js'
import type { Interpretation } from '../../src/kb/question-interpretation.js'
import { loadSnapshot } from '../../src/snapshot/load.js'
import { type Snapshot, withFiles } from '../../src/snapshot/snapshot.js'
import type { SampleCase } from './sample-files.js'
import { sampleRoot } from './sample-root.js'

/** As in autotest.config.yaml. */
const asOf = '2025-12-31'

/** The sample's knowledge base as it is in git. */
export const { snapshot: cleanKnowledge } = await loadSnapshot(sampleRoot, ['kb'])

/** A knowledge base in which some files have other texts. */
export function withTexts(snapshot: Snapshot, texts: Iterable<readonly [string, string]>): Snapshot {
  return withFiles(snapshot, new Map([...texts].map(([path, text]) => [path, Buffer.from(text)])))
}

export function understood({ question }: SampleCase, snapshot: Snapshot): Interpretation {
  return interpret(question, parseKnowledgeBase(snapshot, 'kb'), asOf)
}

const agent = templateAgent({ kbFolder: 'kb' })

/** The agent's SQL for a case, or undefined where it abstains. */
export async function answer({ id, question }: SampleCase, snapshot: Snapshot): Promise<string | undefined> {
  const sample = await agent.ask({ id, question, dialect: 'duckdb', asOf, sample: 0 }, snapshot)
  return sample.kind === 'answer' ? sample.text : undefined
}
