import {
  type Example,
  proposeSnippets,
} from '../../../../../../src/domains/sql/repair/propose/rules/snippet-proposals.js'
import { loadSqlParser } from '../../../../../../src/sql/index.js'
import { bindingsOf, metricOf, november, snippetOf } from './snippet-examples.js'

const parser = await loadSqlParser()

/** What is proposed for the snippet of the metric `dau` with this text. */
export function propose(text: string, ...examples: readonly Example[]): ReturnType<typeof proposeSnippets> {
  const snippet = snippetOf('dau', text)
  return proposeSnippets({ parser, dialect: 'duckdb', metric: metricOf('dau'), snippet, examples })
}

/** The text that is proposed first. */
export function best(text: string, ...examples: readonly Example[]): string | undefined {
  return propose(text, ...examples).proposals[0]?.text
}

/** A failing case of November in Indonesia with the expected query as it is. */
export function expecting(expectedSql: string, question = november): Example {
  return { caseId: `${question.market}_${question.start}`, expectedSql, bindings: bindingsOf(question) }
}
