import type { KnowledgeBase } from '../kb/entry.js'
import { interpret } from '../kb/interpret-question.js'
import type { KnowledgeAdapter } from '../kb/knowledge-adapter.js'
import { parseKnowledgeBase } from '../kb/parse.js'
import { renderSnippet } from '../kb/render-snippet.js'
import type { Agent, Question } from './agent.js'
import type { Outcome } from './external-agent-protocol.js'

export interface TemplateAgentOptions {
  readonly kbFolder: string
  readonly format?: KnowledgeAdapter | undefined
}

/**
 * Creates the built-in agent: it resolves a question by the knowledge base's own words and renders the
 * metric's snippet. Deterministic and offline; it abstains, with the reason, rather than guess.
 *
 * @param kbFolder folder of the knowledge base in the snapshot
 * @param format format of the knowledge base; absent: the default format
 */
export function templateAgent({ kbFolder, format }: TemplateAgentOptions): Agent {
  return {
    name: 'template',
    deterministic: true,
    async ask(question, snapshot) {
      const started = performance.now()
      const outcome = answer(question, parseKnowledgeBase(snapshot, kbFolder, format))
      return { ...outcome, ms: performance.now() - started }
    },
    close: () => Promise.resolve(),
  }
}

function answer(question: Question, kb: KnowledgeBase): Outcome {
  const meaning = interpret(question.question, kb, question.asOf)
  const { metric } = meaning
  const snippet = metric && kb.snippets.get(metric.snippet)
  const read = [metric?.id, snippet?.id].filter((id) => id !== undefined)
  if (meaning.kind === 'unbound') return { kind: 'no_answer', message: meaning.message, read }
  if (snippet === undefined)
    return { kind: 'no_answer', message: `${meaning.metric.id} has no snippet`, read }
  const rendered = renderSnippet(snippet, meaning.metric, meaning.bindings, question.dialect)
  return rendered.kind === 'sql'
    ? { kind: 'answer', text: rendered.sql, read }
    : { kind: 'no_answer', message: `${snippet.path}: ${rendered.message}`, read }
}
