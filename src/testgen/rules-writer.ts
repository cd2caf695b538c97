import { z } from 'zod'
import { AutotestError } from '../errors.js'
import type { ChatMessage, ToolCall } from '../llm/provider.js'
import type { ModelTurn, TurnModel } from '../subagent/runner/turn-model.js'
import { parseJson } from '../text/parse-json.js'
import { withoutTest } from './without-test.js'

/** Searches inputs and writes tests for a function as the tools described it. */
export type WriteTests = (described: {
  /** As `analyze_signature` returned it. */
  readonly signature: Readonly<Record<string, unknown>>
  /** As `read_existing_tests` returned it. */
  readonly existing: string
}) => Promise<{
  readonly text: string
  readonly names: readonly string[]
  readonly problem?: string | undefined
}>

const mostRevisions = 3
const neededTools = [
  'analyze_signature',
  'read_existing_tests',
  'write_test_file',
  'run_tests',
  'submit_result',
]

const signatureResult = z.looseObject({ function_name: z.string(), parameters: z.array(z.unknown()) })
const existingResult = z.looseObject({ content: z.string() })
const writeResult = z.looseObject({ success: z.boolean(), path: z.string().nullish() })
const runResult = z.looseObject({
  passed: z.int(),
  failed: z.int(),
  errors: z.int(),
  skipped: z.int().default(0),
  failures: z.array(z.looseObject({ test: z.string().nullish(), message: z.string().nullish() })),
})

/**
 * Creates a writer without a model. It works through the tools as a model does, turn by turn: signature and existing
 * tests, write, run, drop what fails, submit. It knows nothing of the function but what the tools say.
 */
export function createRulesWriter(write: WriteTests): TurnModel {
  let text = ''
  let names: readonly string[] = []
  let summary = ''
  let revisions = 0
  let written: string | undefined

  async function firstTurn(tools: readonly string[]): Promise<ModelTurn> {
    const missing = neededTools.filter((name) => !tools.includes(name))
    if (missing.length > 0)
      throw new AutotestError('agent_invalid', `the rules need the tools ${missing.join(', ')}`, {
        hint: 'Define them as agents/test/test_subagent.yaml does, or give the agent a model.',
      })
    return say(call('analyze_signature', {}), call('read_existing_tests', {}))
  }

  async function writeTests(results: ReadonlyMap<string, unknown>): Promise<ModelTurn> {
    const signature = signatureResult.safeParse(results.get('analyze_signature'))
    const existing = existingResult.safeParse(results.get('read_existing_tests'))
    if (!signature.success) return giveUp('analyze_signature does not describe the function')
    if (!existing.success) return giveUp('read_existing_tests does not say what tests there are')
    const found = await write({ signature: signature.data, existing: existing.data.content })
    if (found.problem !== undefined) return giveUp(found.problem)
    text = found.text
    names = found.names
    summary = `${names.length} tests of ${signature.data.function_name}`
    if (text === '') return giveUp('no input was found that the function accepts')
    return say(call('write_test_file', { content: text, path: null }))
  }

  function afterWrite(results: ReadonlyMap<string, unknown>): ModelTurn {
    const result = writeResult.safeParse(results.get('write_test_file'))
    if (!result.success || !result.data.success) return giveUp('write_test_file did not write')
    written = result.data.path ?? undefined
    return say(call('run_tests', { path: null }))
  }

  function afterRun(results: ReadonlyMap<string, unknown>): ModelTurn {
    const result = runResult.safeParse(results.get('run_tests'))
    if (!result.success) return giveUp('run_tests does not say what passed')
    const { passed, failed, errors, skipped, failures } = result.data
    const failing = new Set(failures.flatMap(({ test }) => test ?? []).map(plainName))
    const dropped = names.filter((name) => failing.has(name))
    if (failed + errors > 0 && dropped.length > 0 && revisions < mostRevisions) {
      revisions++
      text = dropped.reduce(withoutTest, text)
      names = names.filter((name) => !failing.has(name))
      return say(call('write_test_file', { content: text, path: null }))
    }
    const total = passed + failed + errors + skipped
    return submit(total, passed)
  }

  function submit(total: number, passing: number): ModelTurn {
    const files = written === undefined ? [] : [written]
    return say(
      call('submit_result', {
        summary,
        tests_generated: total,
        tests_passing: passing,
        changed_files: files,
      }),
    )
  }

  function giveUp(reason: string): ModelTurn {
    summary = reason
    return submit(0, 0)
  }

  return {
    async next({ messages, tools, turn }) {
      if (turn === 0) return firstTurn(tools.map((tool) => tool.function.name))
      const results = lastResults(messages)
      if (results.has('run_tests')) return afterRun(results)
      if (results.has('write_test_file')) return afterWrite(results)
      if (results.has('analyze_signature')) return writeTests(results)
      return giveUp('the tools answered nothing')
    },
  }
}

/** Returns the results of the last turn by tool. */
function lastResults(messages: readonly ChatMessage[]): ReadonlyMap<string, unknown> {
  const results = new Map<string, unknown>()
  for (const message of messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1))
    if (message.role === 'tool' && message.name !== undefined)
      results.set(message.name, parseJson(message.content))
  return results
}

function say(...calls: readonly ToolCall[]): ModelTurn {
  return { text: '', calls: calls.map((each, index) => ({ ...each, id: `${each.id}-${index}` })) }
}

function call(name: string, args: Readonly<Record<string, unknown>>): ToolCall {
  return { id: name, name, arguments: JSON.stringify(args) }
}

/** Returns the name of a test without its class and its parameters. */
function plainName(test: string): string {
  return (test.split('::').at(-1) ?? test).replace(/\[.*$/s, '')
}
